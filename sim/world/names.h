// Peers, objects and stamps as text for people.
#pragma once
#include "migration/replica.h"
#include <string>

namespace tern::names {

std::string text(PeerId peer);     // "2".
std::string text(ObjectId object); // Creator and serial: "2.7".
std::string text(Stamp stamp);     // Term number, host, count: "1.1.12". "0": never granted.

}
