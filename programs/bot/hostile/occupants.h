// Strangers with an invite that occupy connections of the host: they ask to join with other limits
// than the host's, and never close the connection on which they were refused.
#pragma once
#include <tern/io.hpp>
#include <tern/tern.hpp>
#include <vector>

namespace bot {

struct Occupant {
    tern::Session *session;
    tern::Socket *socket;
};

namespace occupants {

// One tick of all of them. Those that were refused are replaced by others, so that there are always
// `count`. `config`: the host's limits. Returns how many began.
uint64_t tick(std::vector<Occupant> &all, size_t count, const tern::Config &config,
              const tern::Invite &invite, uint64_t now_us);
void destroy_all(std::vector<Occupant> &all);

}
}
