// Random type tables, values and histories for the state coder.
#pragma once
#include "base/random.h"
#include "replication/snapshot/state_layout.h"
#include <memory>
#include <vector>

namespace tern::test {

struct ChanceType { // A table of one random type, with all that it points to.
    Field fields[8];
    Type type;
    TypeTable table;
};

std::unique_ptr<ChanceType> chance_type(Random &random);
// The value is normalised.
std::vector<std::byte> chance_value(Random &random, const ChanceType &made);
// Returns `value` with small changes in some of its fields, like those of a moving object.
std::vector<std::byte> moved(Random &random, const ChanceType &made, std::vector<std::byte> value);

}
