#include "verdict.h"
#include <algorithm>
#include <cstdio>
#include <map>

namespace demo::verdict {

Known describe(ObjectId object, uint64_t stamp, PeerId owner, const Cube &cube)
{
    Known known = {object, ""};
    std::snprintf(known.text, sizeof known.text,
                  "cube stamp=%llx owner=%u position=%.9g,%.9g velocity=%.9g,%.9g bumps=%u "
                  "pusher=%u",
                  static_cast<unsigned long long>(stamp), static_cast<unsigned>(owner),
                  double{cube.position[0]}, double{cube.position[1]}, double{cube.velocity[0]},
                  double{cube.velocity[1]}, cube.bumps, static_cast<unsigned>(cube.pusher));
    return known;
}

// Lists each peer's version of each cube, in the order of the testimonies.
static std::map<ObjectId, std::vector<std::string>> table(const std::vector<Testimony> &testimonies)
{
    std::map<ObjectId, std::vector<std::string>> table;
    for (size_t i = 0; i < testimonies.size(); ++i)
        for (const Known &known : testimonies[i].cubes) {
            const auto row = table.try_emplace(known.object, testimonies.size(), "not there").first;
            row->second[i] = known.text;
        }
    return table;
}

bool converged(const std::vector<Testimony> &testimonies)
{
    return !testimonies.empty() && differences(testimonies).empty();
}

std::string differences(const std::vector<Testimony> &testimonies)
{
    std::string out;
    size_t count = 0;
    for (const auto &[object, texts] : table(testimonies)) {
        std::map<std::string, std::string> versions; // The peers that have each text.
        for (size_t i = 0; i < texts.size(); ++i)
            versions[texts[i]] += "," + std::to_string(static_cast<unsigned>(testimonies[i].peer));
        if (versions.size() < 2 || ++count > differences_max) continue;
        char id[24];
        std::snprintf(id, sizeof id, "%llx", static_cast<unsigned long long>(object));
        for (const auto &[text, peers] : versions)
            out +=
                std::string("  object ") + id + " at peer " + peers.substr(1) + ": " + text + "\n";
    }
    if (count > differences_max)
        out += "  and " + std::to_string(count - differences_max) + " more objects\n";
    const bool equal = std::all_of(testimonies.begin(), testimonies.end(), [&](const Testimony &t) {
        return t.digest == testimonies[0].digest;
    });
    if (count == 0 && !equal) out += "  the listed fields agree; the digests do not\n";
    return out;
}

}
