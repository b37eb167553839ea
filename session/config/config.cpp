#include "session/config/config.h"
#include "base/memory.h"
#include "replication/snapshot/snapshots.h"
#include "session/config/alike.h"
#include "session/config/sized.h"
#include "session/misuse.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tern::session {

// --- Whether a config can be read ---

// The size of a struct of C is not set, or cannot be one.
static ConfigProblem size_problem(const char *member, size_t given, const char *of,
                                  const char *meanwhile)
{
    ConfigProblem problem = {};
    std::snprintf(problem.text, sizeof problem.text, "%s is %zu: write .%s = sizeof(%s)%s", member,
                  given, member, of, meanwhile);
    return problem;
}

static ConfigProblem type_shape_problem(const Type &type, size_t index)
{
    ConfigProblem problem = {};
    const char *wrong = nullptr;
    if (!type.fields.empty() && !type.fields.data())
        wrong = "field_count is above 0, and fields is null";
    else if (type.fields.empty() && type.fields.data())
        wrong = "fields is set, and field_count is 0: count the fields, or leave fields null";
    else if (type.fields.size() > fields_max)
        wrong = "it has more than 64 fields";
    else if (type.size_bytes > struct_bytes_max)
        wrong = "size_bytes is above 4096";
    if (wrong)
        std::snprintf(problem.text, sizeof problem.text, "types[%zu] (%.100s): %s", index,
                      type.name ? type.name : "without a name", wrong);
    return problem;
}

// Finds what is wrong with the pointers and sizes, without which the config cannot be copied.
static ConfigProblem shape_problem(const Config *given)
{
    if (!given) return {"the config is null"};
    if (!sized::is_sized<Config>(given->struct_size))
        return size_problem("struct_size", given->struct_size, "tern_config",
                            "; without it no other member is read, so misuse.handle is not called");
    const Config c = sized::known_part(given, given->struct_size);
    // Found before anything is allocated, since it could not be released.
    if (!c.allocator.allocate != !c.allocator.release)
        return {"one of allocator.allocate and allocator.release without the other"};
    if (c.types.empty() && c.types.data())
        return {"types is set, and type_count is 0: count the types, or leave types null"};
    if (c.types.empty()) return {};
    if (!c.types.data()) return {"type_count is above 0, and types is null"};
    if (c.types.size() > types_max) return {"there are more than 256 types"};
    if (!sized::is_sized<Type>(c.type_bytes))
        return size_problem("type_bytes", c.type_bytes, "tern_type", "");
    if (!sized::is_sized<Field>(c.field_bytes))
        return size_problem("field_bytes", c.field_bytes, "tern_field", "");
    for (size_t i = 0; i < c.types.size(); ++i) {
        const Type type = sized::element(c.types.data(), c.type_bytes, i);
        const ConfigProblem problem = type_shape_problem(type, i);
        if (problem.text[0] != 0) return problem;
    }
    return {};
}

// --- The copies ---

// A block in which arrays are placed one after the other.
struct Block {
    std::byte *memory; // Null: it is measured only.
    size_t used_bytes;
};

// Null while the block is measured.
template <class T> static T *place(Block &block, size_t count)
{
    block.used_bytes = (block.used_bytes + alignof(T) - 1) / alignof(T) * alignof(T);
    std::byte *at = block.memory ? block.memory + block.used_bytes : nullptr;
    block.used_bytes += count * sizeof(T);
    return reinterpret_cast<T *>(at);
}

static const char *copy_name(Block &block, const char *name)
{
    if (!name) return nullptr;
    const size_t bytes = std::strlen(name) + 1;
    char *copy = place<char>(block, bytes);
    if (copy) std::memcpy(copy, name, bytes);
    return copy;
}

static std::span<const Field> copy_fields(Block &block, std::span<const Field> given,
                                          size_t field_bytes)
{
    auto *fields = place<Field>(block, given.size());
    for (size_t i = 0; i < given.size(); ++i) {
        Field field = sized::element(given.data(), field_bytes, i);
        field.name = copy_name(block, field.name);
        if (field.count == 0) field.count = 1;
        if (fields) fields[i] = field;
    }
    return {fields, fields ? given.size() : 0};
}

// Fills in the types and given_fields, but not while the block is measured.
static void copy_types(Block &block, const Config &given, CopiedConfig &copy)
{
    const size_t count = given.types.size();
    auto *types = place<Type>(block, count);
    auto *given_fields = place<const Field *>(block, count);
    for (size_t i = 0; i < count; ++i) {
        Type type = sized::element(given.types.data(), given.type_bytes, i);
        const Field *fields = type.fields.data();
        type.name = copy_name(block, type.name);
        type.fields = copy_fields(block, type.fields, given.field_bytes);
        if (!types) continue;
        types[i] = type;
        given_fields[i] = fields;
    }
    if (!types) return;
    copy.config.types = {types, count};
    copy.given_fields = {given_fields, count};
}

static Config with_defaults(Config config)
{
    const auto fill = [](auto &value, auto otherwise) {
        if (value == 0) value = otherwise;
    };
    fill(config.peers_max, uint16_t{16});
    fill(config.send_bytes_per_second_max, 256u * 1024);
    fill(config.bridge_bytes_per_second_max, 64u * 1024);
    fill(config.forward_bytes_per_second_max, 128u * 1024);
    fill(config.timeout_ms, 10'000u);
    fill(config.join_timeout_ms, 10'000u);
    fill(config.parallel.parts, 1u);
    config.type_bytes = sizeof(Type);
    config.field_bytes = sizeof(Field);
    return config;
}

// --- Whether its settings are right ---

static ConfigProblem outside(const char *what, uint64_t value, uint64_t min, uint64_t max)
{
    ConfigProblem problem;
    std::snprintf(problem.text, sizeof problem.text, "%s %llu, at most %llu and at least %llu",
                  what, static_cast<unsigned long long>(value),
                  static_cast<unsigned long long>(max), static_cast<unsigned long long>(min));
    return problem;
}

// Limits address space only: pages that are not used are never touched.
static constexpr uint64_t predicted_bytes_max = uint64_t{1} << 30;

// Each pair of an object and a peer has an entry in arrays that 32 bits count.
static ConfigProblem pairs_problem(const Config &config)
{
    uint64_t slots = control_count;
    for (const Type &type : config.types)
        slots += world::capacity(type);
    if (slots * config.peers_max <= UINT32_MAX) return {};
    ConfigProblem problem;
    std::snprintf(problem.text, sizeof problem.text,
                  "%llu objects, their reserve included, with peers_max %u: at most %u",
                  static_cast<unsigned long long>(slots), unsigned{config.peers_max},
                  UINT32_MAX / config.peers_max);
    return problem;
}

static ConfigProblem problem_of(const Config &config)
{
    const Config &c = config;
    const uint16_t most = c.topology == Topology::star ? star_peers_max : mesh_peers_max;
    if (c.admission > Admission::ask_game || c.misbehaviour > Misbehaviour::ask_game ||
        c.quorum > Quorum::survivors || c.topology > Topology::star)
        return {"admission, misbehaviour, quorum or topology is none of its enumerators"};
    if (c.peers_max < 2 || c.peers_max > most) return outside("peers_max", c.peers_max, 2, most);
    if (c.timeout_ms < 100 || c.timeout_ms > 600'000)
        return outside("timeout_ms", c.timeout_ms, 100, 600'000);
    if (c.join_timeout_ms < 100 || c.join_timeout_ms > 600'000)
        return outside("join_timeout_ms", c.join_timeout_ms, 100, 600'000);
    if (c.go_on_after_ms > 86'400'000)
        return outside("go_on_after_ms", c.go_on_after_ms, 0, 86'400'000);
    if (c.send_bytes_per_second_max < 4096)
        return outside("send_bytes_per_second_max", c.send_bytes_per_second_max, 4096, UINT32_MAX);
    if (c.bridge_bytes_per_second_max < 4096)
        return outside("bridge_bytes_per_second_max", c.bridge_bytes_per_second_max, 4096,
                       UINT32_MAX);
    if (c.forward_bytes_per_second_max < 4096)
        return outside("forward_bytes_per_second_max", c.forward_bytes_per_second_max, 4096,
                       UINT32_MAX);
    if (c.recording_bytes_max != 0 && c.recording_bytes_max < recording_bytes_min)
        return outside("recording_bytes_max", c.recording_bytes_max, recording_bytes_min,
                       UINT32_MAX);
    if (c.parallel.parts < 1 || c.parallel.parts > send_parts_max)
        return outside("parallel.parts", c.parallel.parts, 1, send_parts_max);
    if (c.parallel.parts > 1 && !c.parallel.for_each)
        return {"parallel.parts above 1 without parallel.for_each"};
    const ConfigProblem of_types = type_table::problem(c.types);
    if (of_types.text[0] != 0) return of_types;
    const uint64_t bytes = snapshots::received_bytes_max(c.types, c.peers_max);
    if (bytes <= predicted_bytes_max) return pairs_problem(c);
    ConfigProblem problem;
    std::snprintf(problem.text, sizeof problem.text,
                  "predicted types: histories take %llu MB with peers_max %u, at most %llu",
                  static_cast<unsigned long long>(bytes >> 20), unsigned{c.peers_max},
                  static_cast<unsigned long long>(predicted_bytes_max >> 20));
    return problem;
}

CopiedConfig copy_config(const Config *given)
{
    CopiedConfig copy = {};
    copy.problem = shape_problem(given);
    if (copy.problem.text[0] != 0) return copy;
    const Config known = sized::known_part(given, given->struct_size);
    copy.config = with_defaults(known);
    Block measure = {nullptr, sizeof(Session)};
    copy_types(measure, known, copy);
    copy.block_bytes = measure.used_bytes;
    copy.block = memory::allocate(known.allocator, copy.block_bytes);
    if (!copy.block) return copy;
    Block block = {static_cast<std::byte *>(copy.block), sizeof(Session)};
    copy_types(block, known, copy);
    copy.problem = problem_of(copy.config);
    if (copy.problem.text[0] == 0) return copy;
    free_copy(copy);
    copy.block = nullptr;
    return copy;
}

void free_copy(const CopiedConfig &copy)
{
    memory::release(copy.config.allocator, copy.block);
}

MisuseHandler misuse_handler(const Config *given)
{
    if (!given || !sized::is_sized<Config>(given->struct_size)) return {};
    return sized::known_part(given, given->struct_size).misuse;
}

}

using namespace tern;

tern_result tern_config_problem(const tern_config *config, char problem[TERN_PROBLEM_TEXT_MAX])
{
    const session::CopiedConfig copy = session::copy_config(to_cpp(config));
    if (problem) std::memcpy(problem, copy.problem.text, sizeof copy.problem.text);
    if (copy.problem.text[0] != 0) return TERN_BAD_CONFIG;
    session::free_copy(copy);
    return copy.block ? TERN_OK : TERN_NO_MEMORY;
}
