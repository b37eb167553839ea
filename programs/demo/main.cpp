// tern-demo: peers share a world of cubes over real sockets. See --help.
#include "options.h"
#include "parent.h"
#include "solo.h"
#include "trials.h"
#include <cstdio>

int main(int argc, char **argv)
{
    const demo::ParsedOptions parsed = demo::parse_options(argc, argv);
    if (!parsed.run) {
        std::fputs(parsed.text.c_str(), parsed.exit_status == 0 ? stdout : stderr);
        return parsed.exit_status;
    }
    const demo::Options &options = parsed.options;
    if (!options.trial.empty()) return demo::trials::run(options);
    if (demo::is_alone(options)) return demo::solo::run(options);
    return demo::parent::run(options);
}
