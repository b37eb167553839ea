// Removes one rule after the other, each in a process of tern-sim-mutants, and reports for each
// whether its absence was found.
#include "child.h"
#include "commands.h"
#include "report.h"
#include "sim/mutants/mutant.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <unistd.h>

namespace sim {

namespace {

struct Hunt {
    std::string mutant;
    Child child;
    std::string line; // The report of the child.
};

std::string program_of_mutants()
{
    char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    const std::string self(path, size < 0 ? 0 : static_cast<size_t>(size));
    const std::string program = self.substr(0, self.find_last_of('/') + 1) + "tern-sim-mutants";
    if (access(program.c_str(), X_OK) != 0)
        fail(program +
             " is not there: ./dev build tern-sim-mutants makes it, from the same sources");
    return program;
}

void start(Hunt &hunt, const Options &options, const std::string &program)
{
    hunt.child = child::start();
    if (hunt.child.pid != 0) return;
    const std::string bound = std::to_string(options.bound_s == 0 ? 60 : options.bound_s);
    dup2(hunt.child.lines, STDOUT_FILENO);
    execl(program.c_str(), program.c_str(), "hunt", hunt.mutant.c_str(), "--time-limit",
          bound.c_str(), "--folder", options.folder.c_str(), nullptr);
    _exit(3);
}

bool has_found(const Hunt &hunt)
{
    return hunt.line.find("\"found\":true") != std::string::npos;
}

// The hunt that runs without a mutant. What it finds every other hunt finds, too, and that says
// nothing about their mutants.
bool is_control(const Hunt &hunt)
{
    return hunt.mutant == tern::mutant_texts[0].name;
}

void tell(const Hunt &hunt, size_t done, size_t count)
{
    progress::clear();
    if (is_control(hunt))
        std::fprintf(stderr, "%zu of %zu: without a mutant %s\n", done, count,
                     has_found(hunt) ? "A VIOLATION WAS FOUND" : "nothing was found");
    else
        std::fprintf(stderr, "%zu of %zu: %s %s\n", done, count, hunt.mutant.c_str(),
                     has_found(hunt) ? "found" : "NOT FOUND");
}

void run_all(std::vector<Hunt> &hunts, const Options &options)
{
    const std::string program = program_of_mutants();
    size_t started = 0, done = 0;
    while (done < hunts.size()) {
        std::vector<Child *> running;
        for (Hunt &hunt : hunts)
            if (hunt.child.pid > 0 && !hunt.child.ended) running.push_back(&hunt.child);
        if (started < hunts.size() && running.size() < options.jobs) {
            start(hunts[started], options, program);
            started += 1;
            continue;
        }
        child::wait(running, 200);
        for (Hunt &hunt : hunts) {
            if (hunt.child.pid < 0 || hunt.child.ended) continue;
            for (const std::string &line : child::lines(hunt.child))
                if (line.starts_with("{")) hunt.line = line;
            if (!hunt.child.ended) continue;
            done += 1;
            tell(hunt, done, hunts.size());
        }
    }
}

}

int mutants(const Options &options)
{
    std::vector<Hunt> hunts = {{tern::mutant_texts[0].name, {}, {}}};
    for (size_t i = 1; i < tern::mutant_count; ++i)
        if (options.name.empty() || options.name == tern::mutant_texts[i].name)
            hunts.push_back({tern::mutant_texts[i].name, {}, {}});
    if (hunts.size() == 1) fail("there is no mutant \"" + options.name + "\"");
    run_all(hunts, options);
    std::string entries = "[";
    uint64_t found = 0;
    for (const Hunt &hunt : hunts) {
        found += has_found(hunt) && !is_control(hunt);
        entries += entries.size() > 1 ? "," : "";
        entries += hunt.line.empty()
                       ? "{\"mutant\":\"" + hunt.mutant + "\",\"found\":false,\"text\":\"died\"}"
                       : hunt.line;
    }
    const uint64_t count = hunts.size() - 1;
    const bool ok = found == count && !hunts[0].line.empty() && !has_found(hunts[0]);
    Report line;
    report::add(line, "ok", ok);
    report::add(line, "count", count);
    report::add(line, "found", found);
    report::add(line, "wall_s", wall_s());
    report::add_json(line, "mutants", entries + "]");
    return report::finish(line, ok);
}

}
