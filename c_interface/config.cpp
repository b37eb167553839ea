// Makes a session out of a tern_config: reads the sized structs, and copies the types.
#include "base/memory.h"
#include "c_interface/c_session.h"
#include "session/misuse.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tern::c_interface {

// A struct whose caller may know fewer or more members. The ones that it does not know are zero.
template <class T> static T known_part(const T *sized, size_t struct_size)
{
    T copy = {};
    std::memcpy(&copy, sized, std::min(struct_size, sizeof copy));
    return copy;
}

// Element i of an array, all of whose structs are as large as the first one says.
template <class T> static T element(const T *first, size_t i)
{
    const auto *bytes = reinterpret_cast<const std::byte *>(first);
    return known_part(reinterpret_cast<const T *>(bytes + i * first->struct_size),
                      first->struct_size);
}

// Whether struct_size can be that of any version: pointers in the struct need its alignment.
template <class T> static bool is_sized(const T *sized)
{
    return sized->struct_size >= 8 && sized->struct_size % alignof(T) == 0;
}

static ConfigProblem type_shape_problem(const tern_type &type, size_t index)
{
    ConfigProblem problem = {};
    const char *wrong = nullptr;
    if (type.field_count > 0 && !type.fields)
        wrong = "fields is NULL";
    else if (type.field_count > fields_max)
        wrong = "field_count is above 64";
    else if (type.size_bytes > struct_bytes_max)
        wrong = "size_bytes is above 4096";
    else if (type.field_count > 0 && !is_sized(type.fields))
        wrong = "struct_size of the first field is not sizeof(tern_field)";
    if (wrong)
        std::snprintf(problem.text, sizeof problem.text, "types[%zu] (%.100s): %s", index,
                      type.name ? type.name : "without a name", wrong);
    return problem;
}

// Finds what is wrong with the pointers and sizes, without which the config cannot be read.
static ConfigProblem shape_problem(const tern_config *config)
{
    if (!config) return {"the config is NULL"};
    if (!is_sized(config)) return {"struct_size is not sizeof(tern_config)"};
    const tern_config c = known_part(config, config->struct_size);
    if (c.type_count > 0 && !c.types) return {"type_count is not 0, and types is NULL"};
    if (c.type_count > types_max) return {"type_count is above 256"};
    if (c.type_count > 0 && !is_sized(c.types))
        return {"struct_size of the first type is not sizeof(tern_type)"};
    for (size_t i = 0; i < c.type_count; ++i) {
        const ConfigProblem problem = type_shape_problem(element(c.types, i), i);
        if (problem.text[0] != 0) return problem;
    }
    return {};
}

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
    if (!name) name = "";
    const size_t bytes = std::strlen(name) + 1;
    char *copy = place<char>(block, bytes);
    if (copy) std::memcpy(copy, name, bytes);
    return copy;
}

static Field to_field(Block &block, const tern_field &from)
{
    Field field = {};
    field.name = copy_name(block, from.name);
    field.kind = static_cast<FieldKind>(std::min<unsigned>(from.kind, UINT8_MAX));
    field.offset_bytes = from.offset_bytes;
    field.count = from.count == 0 ? uint16_t{1} : from.count;
    field.min = from.min;
    field.max = from.max;
    field.step = from.step;
    field.bound = from.bound;
    return field;
}

static Type to_type(Block &block, const tern_type &from)
{
    Type type = {};
    type.name = copy_name(block, from.name);
    type.size_bytes = static_cast<uint16_t>(from.size_bytes);
    type.objects_max = from.objects_max;
    type.orphan = static_cast<Orphan>(std::min<unsigned>(from.orphan, UINT8_MAX));
    type.claim = static_cast<ClaimPolicy>(std::min<unsigned>(from.claim, UINT8_MAX));
    type.callers = static_cast<Callers>(std::min<unsigned>(from.callers, UINT8_MAX));
    type.claim_cooldown_ms = from.claim_cooldown_ms;
    type.owned_max = from.owned_max;
    type.claims_per_second_max = from.claims_per_second_max;
    type.calls_per_second_max = from.calls_per_second_max;
    type.predicted = from.predicted;
    auto *fields = place<Field>(block, from.field_count);
    for (size_t i = 0; i < from.field_count; ++i) {
        const Field field = to_field(block, element(from.fields, i));
        if (fields) fields[i] = field;
    }
    if (fields) type.fields = {fields, from.field_count};
    return type;
}

// The types with all that they point to. Empty while the block is measured.
static std::span<const Type> copy_types(Block &block, const tern_config &config)
{
    auto *types = place<Type>(block, config.type_count);
    for (size_t i = 0; i < config.type_count; ++i) {
        const Type type = to_type(block, element(config.types, i));
        if (types) types[i] = type;
    }
    return {types, types ? config.type_count : 0};
}

static Config to_config(const tern_config &c)
{
    const auto unless_zero = [](auto value, auto otherwise) { return value ? value : otherwise; };
    Config config = {};
    config.name = unless_zero(c.name, "");
    config.peers_max = unless_zero(c.peers_max, config.peers_max);
    config.admission = c.ask_before_admission ? Admission::ask_game : Admission::always;
    config.misbehaviour = c.keep_misbehaving ? Misbehaviour::ask_game : Misbehaviour::remove;
    config.topology = static_cast<Topology>(std::min<unsigned>(c.topology, UINT8_MAX));
    config.quorum = static_cast<Quorum>(std::min<unsigned>(c.quorum, UINT8_MAX));
    config.timeout_ms = unless_zero(c.timeout_ms, config.timeout_ms);
    config.join_timeout_ms = unless_zero(c.join_timeout_ms, config.join_timeout_ms);
    config.go_on_after_ms = c.go_on_after_ms;
    config.recording_bytes_max = c.recording_bytes_max;
    config.send_bytes_per_second_max =
        unless_zero(c.send_bytes_per_second_max, config.send_bytes_per_second_max);
    config.bridge_bytes_per_second_max =
        unless_zero(c.bridge_bytes_per_second_max, config.bridge_bytes_per_second_max);
    config.forward_bytes_per_second_max =
        unless_zero(c.forward_bytes_per_second_max, config.forward_bytes_per_second_max);
    config.parallel = {c.for_each, c.user, unless_zero(c.send_parts, 1u)};
    config.allocator = {c.allocate, c.release, c.user};
    return config;
}

// A config with its types and the session that will have it, in one block of the allocator.
struct Copy {
    tern_session *session; // Null: there is no memory for it.
    Config config;
    size_t block_bytes;
};

static Copy copy_of(const tern_config &c)
{
    Config config = to_config(c);
    Block measure = {nullptr, sizeof(tern_session)};
    copy_types(measure, c);
    void *memory = memory::allocate(config.allocator, measure.used_bytes);
    if (!memory) return {nullptr, config, measure.used_bytes};
    auto *session = static_cast<tern_session *>(memory);
    Block block = {static_cast<std::byte *>(memory), sizeof(tern_session)};
    config.types = copy_types(block, c);
    session->misuse = c.misuse;
    session->log = c.log;
    session->user = c.user;
    session->allocator = config.allocator;
    return {session, config, measure.used_bytes};
}

static void free_copy(const Copy &copy)
{
    memory::release(copy.config.allocator, copy.session);
}

// Passes a report on, with the name that the function has in C.
static void take_misuse(void *user, const Misuse &misuse)
{
    tern_session &session = *static_cast<tern_session *>(user);
    session.misuses += 1;
    if (!session.misuse) return misuse::hand_over({}, misuse);
    char function[64];
    const bool is_read = std::strstr(misuse.function, "_stats") != nullptr;
    std::snprintf(function, sizeof function, "tern_%s%s", is_read ? "get_" : "", misuse.function);
    const tern_misuse report = {sizeof(tern_misuse),
                                static_cast<tern_peer>(misuse.owner),
                                static_cast<tern_object>(misuse.object),
                                function,
                                misuse.wrong,
                                misuse.remedy};
    session.misuse(session.user, &report);
}

// TERN_OK: `copy` has a config without a problem, and is to be freed.
static tern_result copy_config(const tern_config *config, Copy &copy, ConfigProblem &problem)
{
    problem = shape_problem(config);
    if (problem.text[0] != 0) return TERN_BAD_CONFIG;
    copy = copy_of(known_part(config, config->struct_size));
    if (!copy.session) return TERN_NO_MEMORY;
    problem = config_problem(copy.config);
    if (problem.text[0] == 0) return TERN_OK;
    free_copy(copy);
    return TERN_BAD_CONFIG;
}

static void report_problem(const tern_config *config, const ConfigProblem &problem)
{
    tern_session none = {};
    if (config && is_sized(config)) {
        const tern_config c = known_part(config, config->struct_size);
        none.misuse = c.misuse;
        none.user = c.user;
    }
    misuse::report({take_misuse, &none}, "make_session",
                   "Show what tern_config_problem() says of settings from a file.",
                   "The config is wrong: %s.", problem.text);
}

}

using namespace tern;

tern_result tern_config_problem(const tern_config *config, char text[TERN_PROBLEM_TEXT_MAX])
{
    c_interface::Copy copy = {};
    ConfigProblem problem = {};
    const tern_result result = c_interface::copy_config(config, copy, problem);
    if (result == TERN_OK) c_interface::free_copy(copy);
    static_assert(sizeof problem.text == TERN_PROBLEM_TEXT_MAX);
    if (text) std::memcpy(text, problem.text, sizeof problem.text);
    return result;
}

size_t tern_session_bytes(const tern_config *config)
{
    c_interface::Copy copy = {};
    ConfigProblem problem = {};
    if (c_interface::copy_config(config, copy, problem) != TERN_OK) return 0;
    const size_t bytes = copy.block_bytes + session_bytes(copy.config);
    c_interface::free_copy(copy);
    return bytes;
}

tern_result tern_make_session(const tern_config *config, tern_session **session)
{
    if (!session) {
        misuse::report({}, "tern_make_session", "Pass a pointer to a variable for the session.",
                       "The second argument is NULL.");
        return TERN_MISUSE;
    }
    *session = nullptr;
    c_interface::Copy copy = {};
    ConfigProblem problem = {};
    const tern_result result = c_interface::copy_config(config, copy, problem);
    if (result == TERN_BAD_CONFIG) c_interface::report_problem(config, problem);
    if (result != TERN_OK) return result;
    copy.config.misuse = {c_interface::take_misuse, copy.session};
    copy.session->session = make_session(copy.config);
    if (!copy.session->session) {
        c_interface::free_copy(copy);
        return TERN_NO_MEMORY;
    }
    *session = copy.session;
    return TERN_OK;
}

void tern_destroy_session(tern_session *session)
{
    if (!session) return;
    const uint64_t misuses = session->misuses;
    destroy_session(session->session);
    if (session->misuses != misuses) return; // Another function is using it.
    session->session = nullptr;
    memory::release(session->allocator, session);
}
