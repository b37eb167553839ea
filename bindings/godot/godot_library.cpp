// What Godot 3 calls when it loads the library: registers the class TernSession.
#include "godot_session.h"
#include <algorithm>
#include <array>
#include <new>

using namespace tern_godot;

static const godot_gdnative_ext_nativescript_api_struct *scripts;
static constexpr size_t arguments_max = 4;

static void *make(godot_object *, void *)
{
    return new (std::nothrow) Session;
}

static void destroy(godot_object *, void *, void *session)
{
    delete static_cast<Session *>(session);
}

// What the letter of Method::takes expects; empty: the value is such a one.
static const char *expected(char letter, const Value &value)
{
    const auto unless = [](bool is_right, const char *text) { return is_right ? "" : text; };
    switch (letter) {
    case 't': return unless(value.is(GODOT_VARIANT_TYPE_STRING), "the name of a type");
    case 's': return unless(value.is(GODOT_VARIANT_TYPE_STRING), "a String");
    case 'd': return unless(value.is(GODOT_VARIANT_TYPE_DICTIONARY), "a Dictionary");
    case 'a': return unless(value.is(GODOT_VARIANT_TYPE_ARRAY), "an Array");
    case 'v': return unless(value.is_any_array(), "an Array");
    case 'b': return unless(value.is(GODOT_VARIANT_TYPE_BOOL), "true or false");
    case 'r':
        if (value.is(GODOT_VARIANT_TYPE_STRING))
            return unless(value.as_text() == "host" || value.as_text() == "everyone",
                          "a peer, \"host\" or \"everyone\"");
        return unless(value.is_whole() && value.as_int() >= 0 && value.as_int() < TERN_HOST,
                      "a peer, \"host\" or \"everyone\"");
    default: return unless(value.is_whole() && value.as_int() >= 0, "a whole number from 0");
    }
}

// Checks the arguments. Returns what is wrong; empty: nothing.
static std::string read_arguments(const Method &method, int count, godot_variant **given,
                                  std::array<Value, arguments_max> &arguments)
{
    const std::string_view takes = method.takes;
    const size_t bar = takes.find('|');
    const size_t least = std::min(bar, takes.size());
    const size_t most = takes.size() - (bar == takes.npos ? 0 : 1);
    const auto got = static_cast<size_t>(count);
    if (got < least || got > most) {
        const std::string range =
            std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
        return "expected " + range + " arguments, got " + std::to_string(got);
    }
    for (size_t i = 0; i < got; ++i) {
        arguments[i] = Value::copy(given[i]);
        const char *wanted = expected(takes[i < bar ? i : i + 1], arguments[i]);
        if (*wanted == '\0') continue;
        return "argument " + std::to_string(i + 1) + ": expected " + wanted + ", got " +
               describe(arguments[i]);
    }
    return "";
}

static godot_variant call(godot_object *, void *method_data, void *session, int count,
                          godot_variant **given)
{
    const Method &method = *static_cast<const Method *>(method_data);
    auto &s = *static_cast<Session *>(session);
    std::array<Value, arguments_max> arguments;
    Value out;
    s.error.clear();
    const std::string wrong = read_arguments(method, count, given, arguments);
    if (!wrong.empty())
        s.fail(wrong);
    else if (!s.session && !method.may_precede_setup)
        s.fail("call setup() first, and see that it returns true");
    else
        out = method.call(s, arguments);
    if (!s.error.empty()) {
        s.error = std::string(method.name) + "(): " + s.error;
        api->godot_print_error(s.error.c_str(), "TernSession", "tern", 0);
    }
    return out.release();
}

static godot_variant last_error(godot_object *, void *, void *session, int, godot_variant **)
{
    return Value::text(static_cast<Session *>(session)->error).release();
}

extern "C" {

GDN_EXPORT void godot_gdnative_init(godot_gdnative_init_options *options)
{
    api = options->api_struct;
    for (unsigned i = 0; i < api->num_extensions; ++i)
        if (api->extensions[i]->type == GDNATIVE_EXT_NATIVESCRIPT)
            scripts = reinterpret_cast<const godot_gdnative_ext_nativescript_api_struct *>(
                api->extensions[i]);
}

GDN_EXPORT void godot_gdnative_terminate(godot_gdnative_terminate_options *)
{
    api = nullptr;
    scripts = nullptr;
}

GDN_EXPORT void godot_nativescript_init(void *handle)
{
    godot_instance_create_func creation = {make, nullptr, nullptr};
    godot_instance_destroy_func destruction = {destroy, nullptr, nullptr};
    scripts->godot_nativescript_register_class(handle, "TernSession", "Reference", creation,
                                               destruction);
    const auto add = [&](const char *name, godot_instance_method bound) {
        scripts->godot_nativescript_register_method(handle, "TernSession", name,
                                                    {GODOT_METHOD_RPC_MODE_DISABLED}, bound);
    };
    for (const auto methods : {session_methods, object_methods, call_methods})
        for (const Method &method : methods)
            add(method.name, {call, const_cast<Method *>(&method), nullptr});
    add("last_error", {last_error, nullptr, nullptr});
}
}
