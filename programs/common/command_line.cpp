#include "common/command_line.h"
#include <csignal>
#include <cstdio>

namespace command_line {

std::optional<int> read(CLI::App &app, int argc, char **argv)
{
    try {
        app.parse(argc, argv);
        return {};
    } catch (const CLI::CallForHelp &) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError &error) {
        const char *name = app.get_name().c_str();
        std::fprintf(stderr, "%s: %s\nTry %s --help.\n", name, error.what(), name);
        return 2;
    }
}

static volatile sig_atomic_t signal_seen = 0;

static void note_signal(int)
{
    signal_seen = 1;
}

void heed_signals()
{
    for (int number : {SIGINT, SIGTERM})
        signal(number, note_signal);
#ifdef SIGHUP
    signal(SIGHUP, note_signal);
#endif
}

bool ended()
{
    return signal_seen != 0;
}

}
