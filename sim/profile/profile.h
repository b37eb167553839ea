// What sessions have sent, by name: rows of traffic() added up, as a tree, and the difference of
// two. docs/use/profiling.md
#pragma once
#include "tern/tern.h"
#include <string>
#include <vector>

namespace tern {

struct ProfileRow {
    std::string kind, type, field; // As in TrafficRow; "": none.
    int64_t bits;
    uint64_t count;
};

struct Profile {
    std::string title;
    double seconds; // Of the session's time.
    uint64_t datagrams;
    std::vector<ProfileRow> rows; // Each once, none of them empty.
};

// A type's, the messages' or the overhead's bits, and what they consist of, the largest first.
struct ProfileNode {
    std::string name;
    int64_t bits; // Of all its parts.
    uint64_t count;
    std::vector<ProfileNode> parts;
};

// Of one row, in two profiles, as a rate, so that runs of different lengths can be compared.
struct ProfileChange {
    std::string name;
    double before_bps, after_bps; // Bits a second.
};

namespace profile {

// Datagrams that went by way of another member are counted with those that carried them.
void add(Profile &profile, const Session *session);
int64_t bits(const Profile &profile);
// "unsent" is no part of it, but of its bits.
ProfileNode tree(const Profile &profile);
std::vector<ProfileChange> changes(const Profile &before, const Profile &after); // Largest first.
// A treemap: areas are bits. One file for light and dark.
std::string svg(const Profile &profile);

}
}
