#include "sim/oracles/oracle_types.h"
#include <cstdarg>
#include <cstdio>

namespace tern::oracles {

Violation violation(const char *invariant, ObjectId object, uint16_t node, const char *format, ...)
{
    char buffer[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(buffer, sizeof buffer, format, values);
    va_end(values);
    return {invariant, buffer, object, node};
}

Shown &shown(NodeRecord &record, ObjectId object)
{
    const auto creator = static_cast<size_t>(object_id::creator(object));
    const size_t serial = object_id::serial(object);
    if (creator >= record.shown.size()) record.shown.resize(creator + 1);
    if (serial >= record.shown[creator].size()) record.shown[creator].resize(serial + 1);
    return record.shown[creator][serial];
}

const Shown *find_shown(const NodeRecord &record, ObjectId object)
{
    const auto creator = static_cast<size_t>(object_id::creator(object));
    const size_t serial = object_id::serial(object);
    if (creator >= record.shown.size() || serial >= record.shown[creator].size()) return nullptr;
    const Shown &shown = record.shown[creator][serial];
    return shown.life == Life::none ? nullptr : &shown;
}

bool set_bit(std::vector<uint64_t> &bits, uint64_t i)
{
    if (i / 64 >= bits.size()) bits.resize(i / 64 + 1);
    const uint64_t bit = uint64_t{1} << i % 64;
    const bool was = (bits[i / 64] & bit) != 0;
    bits[i / 64] |= bit;
    return was;
}

}
