// Type tables, values and histories of chance, for the coder of states.
#pragma once
#include "base/random.h"
#include "replication/snapshot/state_layout.h"
#include <memory>
#include <vector>

namespace tern::test {

struct ChanceType { // A table of one type, and all that it points to.
    Field fields[8];
    Type type;
    TypeTable table;
};

std::unique_ptr<ChanceType> chance_type(Random &random);
std::vector<std::byte> chance_value(Random &random, const ChanceType &made); // Normalised.
// The same, some of its fields a little changed, as things move.
std::vector<std::byte> moved(Random &random, const ChanceType &made, std::vector<std::byte> value);

}
