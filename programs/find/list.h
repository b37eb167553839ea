// The output of tern-find: the sessions that were found, for people and for programs.
#pragma once
#include "tern/discovery.hpp"
#include <span>
#include <string>

namespace find_list {

// Makes a name from the network safe for a terminal: "?" replaces control characters and invalid
// UTF-8.
std::string printable(const char *name);
std::string table(std::span<const tern::FoundSession> sessions); // With a header line.
// One line. Open sessions include their invite, with which anybody can join.
std::string json(std::span<const tern::FoundSession> sessions);

}
