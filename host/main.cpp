// tern-host: a dedicated host of tern sessions. See --help.
#include "host/host.h"
#include "host/signals.h"
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace dedicated;

// Carries out the actions other than run, and returns the exit status.
static int show(const Loaded &loaded)
{
    if (loaded.action == Action::show) std::fputs(loaded.text.c_str(), stdout);
    if (loaded.action == Action::print) std::fputs(options::print(loaded).c_str(), stdout);
    for (const Problem &warning : loaded.warnings)
        std::fprintf(stderr, "%s: %s\n", warning.where.c_str(), warning.text.c_str());
    if (loaded.action == Action::check) std::puts("tern-host: the configuration is right");
    return exit_clean;
}

int main(int argc, char **argv)
{
    // If the parent closed stdin, stdout or stderr, a socket would get that descriptor, and output
    // to stdout or stderr would go into it. Put /dev/null there.
    for (int one = open("/dev/null", O_RDWR); one >= 0; one = dup(one))
        if (one > STDERR_FILENO) {
            close(one);
            break;
        }
    signals::install();
    Host host;
    host.argument_count = argc;
    host.arguments = argv;
    host.loaded = options::load(argc, argv);
    if (!host.loaded.problems.empty()) {
        std::fputs(options::print(host.loaded.problems).c_str(), stderr);
        std::fputs("tern-host: nothing was started. Try tern-host --help.\n", stderr);
        return exit_options;
    }
    return host.loaded.action == Action::run ? host::run(host) : show(host.loaded);
}
