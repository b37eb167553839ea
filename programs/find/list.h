// What tern-find shows: the sessions that were found, for people and for programs.
#pragma once
#include "tern/discovery.h"
#include <span>
#include <string>

namespace find_list {

// Of a name from the network: what could move a terminal's cursor, and what is no UTF-8, as "?".
std::string printable(const char *name);
std::string table(std::span<const tern::FoundSession> sessions); // With a line of titles.
// One line. The invite is there for open sessions: who has it can join.
std::string json(std::span<const tern::FoundSession> sessions);

}
