// A profile of what sessions have sent: rows of traffic_rows(), added up by name. Shows a profile
// as a tree or a treemap, and the difference of two. See docs/use/profiling.md.
#pragma once
#include "tern/tern.hpp"
#include "tern/traffic.hpp"
#include <string>
#include <vector>

namespace tern {

struct ProfileRow {
    std::string kind, type, field; // The names of TrafficRow's members; "": none.
    int64_t bits;
    uint64_t count;
};

struct Profile {
    std::string title;
    double seconds; // How long the session ran.
    uint64_t datagrams;
    std::vector<ProfileRow> rows; // Names are unique, and no row is empty.
};

// The bits of a type, of the messages or of the overhead, and their parts.
struct ProfileNode {
    std::string name;
    int64_t bits; // The sum of all parts.
    uint64_t count;
    std::vector<ProfileNode> parts; // The largest first.
};

// One row in two profiles. Rates let profiles of different lengths be compared.
struct ProfileChange {
    std::string name;
    double before_bps, after_bps; // Bits a second.
};

namespace profile {

// Adds the traffic of a session. A relayed datagram counts besides the datagram that carries it.
void add(Profile &profile, const Session *session);
int64_t bits(const Profile &profile);
// The row "unsent" is negative: it lowers the bits of the root, but is not one of its parts.
ProfileNode tree(const Profile &profile);
std::vector<ProfileChange> changes(const Profile &before, const Profile &after); // Largest first.
// A treemap, whose areas are bits. The SVG has styles for light and dark pages.
std::string svg(const Profile &profile);

}
}
