// tern-demo: peers share a world of cubes over real sockets. See --help.
#include "options.h"
#include <cstdio>

int main(int argc, char **argv)
{
    const demo::ParsedOptions parsed = demo::parse_options(argc, argv);
#ifdef _WIN32 // Its C library has no buffer for whole lines.
    std::setvbuf(stdout, nullptr, _IONBF, 0);
#else
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
#endif
    if (!parsed.run) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == 0 ? stdout : stderr);
        return parsed.exit_status;
    }
    const demo::Options &options = parsed.options;
    if (!options.trial.empty()) return demo::run_trials(options);
    if (options.process >= 0) return demo::run_child(options);
    if (demo::is_alone(options)) return demo::run_alone(options);
    return demo::run_parent(options);
}
