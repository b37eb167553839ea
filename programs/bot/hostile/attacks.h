// The attacks of a hostile bot: one for each class of attack in docs/security.md.
#pragma once
#include "intruder.h"
#include <string>
#include <string_view>

namespace bot {

// How the hostile bot goes about it, as bits.
enum Manner : uint8_t {
    in_mesh_only = 1, // In a star nobody but the host could notice it.
    deaf = 2,         // It receives nothing once it is a member.
    slow = 4,         // It sends 4096 bytes a second.
    fleeting = 8      // It is gone after a moment, without a goodbye, and joins again.
};

struct Attack {
    std::string_view name;
    std::string_view effect;         // A line for people.
    void (*act)(Intruder &intruder); // In each tick, between receive() and send().
    uint8_t manners = 0;             // Manner bits.
};

inline bool has(const Attack &attack, Manner manner)
{
    return (attack.manners & manner) != 0;
}

namespace attacks {

std::span<const Attack> all();
const Attack *find(std::string_view name);  // Null: there is none.
std::string list();                         // One line for each.
std::string unknown(std::string_view name); // The error for a name that is none.

}
}
