#include "values.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <tern/tern.hpp>
#include <tern/untyped.hpp>
#include <tern/values.hpp>

using namespace tern;

namespace bot {

uint64_t below(Random &random, uint64_t end)
{
    return random() % end; // A bias of less than 2^-40 does not matter here.
}

double share(Random &random)
{
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

template <class T> static void store(std::byte *to, T value)
{
    std::memcpy(to, &value, sizeof value);
}

static bool has_range(const Field &field)
{
    return field.min != 0 || field.max != 0;
}

template <class T> static void store_integer(std::byte *to, const Field &field, Random &random)
{
    if (!has_range(field)) return store(to, static_cast<T>(random()));
    const T min = static_cast<T>(field.min), max = static_cast<T>(field.max);
    const uint64_t span = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
    const uint64_t offset = span == UINT64_MAX ? random() : below(random, span + 1);
    store(to, static_cast<T>(static_cast<uint64_t>(min) + offset));
}

static void store_float(std::byte *to, const Field &field, Random &random)
{
    const double min = has_range(field) ? field.min : -1e6;
    const double max = has_range(field) ? field.max : 1e6;
    store(to, static_cast<float>(min + (max - min) * share(random)));
}

static void store_rotation(std::byte *to, Random &random)
{
    double at[4], square = 0;
    for (double &component : at) {
        component = share(random) - 0.5;
        square += component * component;
    }
    const double length = std::max(std::sqrt(square), 1e-9);
    for (size_t i = 0; i < 4; ++i)
        store(to + i * sizeof(float), static_cast<float>(at[i] / length));
}

// The source of peers and objects for fields.
struct World {
    const Session *session;
    size_t type_count;
};

static void store_peer(std::byte *to, const Session *session, Random &random)
{
    const std::span<const PeerId> others = other_peers(session);
    const uint64_t which = below(random, others.size() + 2); // Also nobody and this peer.
    if (which < others.size()) return store(to, others[which]);
    store(to, which == others.size() ? local_peer(session) : PeerId::none);
}

static void store_object(std::byte *to, const World &world, Random &random)
{
    const auto type = static_cast<TypeId>(below(random, world.type_count));
    const std::span<const ObjectId> some = object_ids(world.session, type);
    store(to, some.empty() ? ObjectId::none : some[below(random, some.size())]);
}

static void store_text(std::byte *to, const Field &field, Random &random)
{
    const uint64_t length = below(random, field.count);
    for (uint64_t i = 0; i < field.count; ++i)
        to[i] = i < length ? static_cast<std::byte>('a' + below(random, 26)) : std::byte{0};
}

// Writes a random kind of value; one that does not fit becomes nil.
static void put_any(ValueWriter &w, Random &random)
{
    static constexpr std::string_view words[] = {"", "a", "note", "sixteen letters."};
    switch (below(random, 5)) {
    case 0: return value::put_boolean(w, below(random, 2) == 1);
    case 1: return value::put_integer(w, static_cast<int64_t>(below(random, 2000)) - 1000);
    case 2: return value::put_number(w, share(random));
    case 3: return value::put_string(w, words[below(random, std::size(words))]);
    default: break;
    }
    const uint64_t count = below(random, 3);
    value::begin_table(w, count);
    for (uint64_t i = 0; i < count; ++i)
        put_any(w, random);
    value::put_string(w, "key");
    put_any(w, random);
    value::end_table(w);
}

static void store_values(std::byte *to, const Field &field, Random &random)
{
    ValueWriter w = value::writer({reinterpret_cast<uint8_t *>(to), field.count});
    put_any(w, random);
    value::finish(w);
}

static void store_element(std::byte *to, const World &world, const Field &field, Random &random)
{
    switch (field.kind) {
    case FieldKind::boolean: return store(to, below(random, 2) == 1);
    case FieldKind::int8: return store_integer<int8_t>(to, field, random);
    case FieldKind::int16: return store_integer<int16_t>(to, field, random);
    case FieldKind::int32: return store_integer<int32_t>(to, field, random);
    case FieldKind::int64: return store_integer<int64_t>(to, field, random);
    case FieldKind::uint8: return store_integer<uint8_t>(to, field, random);
    case FieldKind::uint16: return store_integer<uint16_t>(to, field, random);
    case FieldKind::uint32: return store_integer<uint32_t>(to, field, random);
    case FieldKind::uint64: return store_integer<uint64_t>(to, field, random);
    case FieldKind::float32: return store_float(to, field, random);
    case FieldKind::quaternion: return store_rotation(to, random);
    case FieldKind::peer: return store_peer(to, world.session, random);
    case FieldKind::object: return store_object(to, world, random);
    case FieldKind::bytes: return store(to, static_cast<uint8_t>(random()));
    case FieldKind::text:
    case FieldKind::values: return; // Not set by elements.
    }
}

void randomise(const Session *session, std::span<const Type> types, TypeId type, uint64_t mask,
               std::span<std::byte> value, Random &random)
{
    const World world = {session, types.size()};
    for (size_t i = 0; i < types[type].fields.size(); ++i) {
        const Field &field = types[type].fields[i];
        if ((mask >> i & 1) == 0) continue;
        std::byte *to = value.data() + field.offset_bytes;
        if (field.kind == FieldKind::text) {
            store_text(to, field, random);
            continue;
        }
        if (field.kind == FieldKind::values) {
            store_values(to, field, random);
            continue;
        }
        for (size_t k = 0; k < field.count; ++k)
            store_element(to + k * tern::element_bytes(field.kind), world, field, random);
    }
}

}
