// tern-sim: checks that all peers end up with the same world. See --help.
#include "commands.h"
#include <cstdio>

int main(int argc, char **argv)
{
    const sim::ParsedOptions parsed = sim::parse_options(argc, argv);
    if (!parsed.run) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == 0 ? stdout : stderr);
        return parsed.exit_status;
    }
    const sim::Options &options = parsed.options;
    switch (options.command) {
    case sim::Command::run:
#ifdef TERN_HAVE_LUA
        if (!options.script.empty()) return sim::run_script(options);
#endif
        return options.stats ? sim::measure(options) : sim::run(options);
    case sim::Command::sweep: return sim::sweep(options);
    case sim::Command::explore: return sim::explore(options);
    case sim::Command::replay: return sim::replay(options);
    case sim::Command::shrink: return sim::shrink(options);
    case sim::Command::scenario: return sim::scenario(options);
    case sim::Command::mutants: return sim::mutants(options);
    case sim::Command::hunt: return sim::hunt(options);
    case sim::Command::soak: return sim::soak(options);
    case sim::Command::failover: return sim::failover(options);
    case sim::Command::load_test: return sim::load_test(options);
    case sim::Command::none: break;
    }
    return 2;
}
