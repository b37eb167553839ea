// What Godot 3 calls when it loads the library: registers the class TernSession.
#include "godot_session.h"
#include <new>

using namespace tern_godot;

static const godot_gdnative_ext_nativescript_api_struct *scripts;

static void *make(godot_object *, void *)
{
    return new (std::nothrow) Session;
}

static void destroy(godot_object *, void *, void *session)
{
    delete static_cast<Session *>(session);
}

static godot_variant call(godot_object *, void *method_data, void *session, int count,
                          godot_variant **given)
{
    const Method &method = *static_cast<const Method *>(method_data);
    auto &s = *static_cast<Session *>(session);
    const auto expected = static_cast<int>(method.argument_count);
    const bool is_setup = std::string_view(method.name) == "setup";
    if (count != expected) {
        complain(std::string(method.name) + "(): expected " + std::to_string(expected) +
                 " arguments, got " + std::to_string(count));
        return Value().release();
    }
    if (!s.session && !is_setup) {
        complain(std::string(method.name) + "(): call setup() first, and look at what it returns");
        return Value().release();
    }
    std::vector<Value> arguments;
    for (int i = 0; i < count; ++i)
        arguments.push_back(Value::copy(given[i]));
    return method.call(s, arguments).release();
}

extern "C" {

__attribute__((visibility("default"))) void
godot_gdnative_init(godot_gdnative_init_options *options)
{
    api = options->api_struct;
    for (unsigned i = 0; i < api->num_extensions; ++i)
        if (api->extensions[i]->type == GDNATIVE_EXT_NATIVESCRIPT)
            scripts = reinterpret_cast<const godot_gdnative_ext_nativescript_api_struct *>(
                api->extensions[i]);
}

__attribute__((visibility("default"))) void
godot_gdnative_terminate(godot_gdnative_terminate_options *)
{
    api = nullptr;
    scripts = nullptr;
}

__attribute__((visibility("default"))) void godot_nativescript_init(void *handle)
{
    godot_instance_create_func creation = {make, nullptr, nullptr};
    godot_instance_destroy_func destruction = {destroy, nullptr, nullptr};
    scripts->godot_nativescript_register_class(handle, "TernSession", "Reference", creation,
                                               destruction);
    for (const Method &method : methods()) {
        godot_instance_method bound = {call, const_cast<Method *>(&method), nullptr};
        scripts->godot_nativescript_register_method(
            handle, "TernSession", method.name, {GODOT_METHOD_RPC_MODE_DISABLED}, bound);
    }
}
}
