// Many objects at once: what create(), set() and so on do for one, in a single call. An object for
// which the call is wrong is left out and reported. Each function returns how many succeeded. With
// vectors or arrays name the struct: set_many<Rock>(session, rocks, values).
#pragma once
#include "tern/many.h"
#include "tern/tern.hpp"

namespace tern {

// The ids of objects of one struct, for destroy_many() and claim_many().
template <class T> std::span<const ObjectId> ids_of(std::span<const Object<T>> objects)
{
    static_assert(sizeof(Object<T>) == sizeof(ObjectId));
    return {reinterpret_cast<const ObjectId *>(objects.data()), objects.size()};
}

// One struct for each object. Ends with the first object that cannot be created; `created` gets
// empty ones from there. Peers share the room of a type: create() the rest in later ticks.
template <GameStruct T>
size_t create_many(Session *session, std::span<const T> values, std::span<Object<T>> created)
{
    static_assert(sizeof(Object<T>) == sizeof(tern_object));
    return tern_create_many(session, find_type<T>(session), values.data(), values.size_bytes(),
                            reinterpret_cast<tern_object *>(created.data()), created.size());
}

template <GameStruct T>
size_t set_many(Session *session, std::span<const Object<T>> objects,
                std::span<const std::type_identity_t<T>> values)
{
    return tern_set_many(session, find_type<T>(session), to_c(ids_of(objects).data()),
                         objects.size(), values.data(), values.size_bytes());
}

// Copies the structs to `values`; zeros for an object that is not known.
template <GameStruct T>
size_t get_many(const Session *session, std::span<const Object<T>> objects,
                std::span<std::type_identity_t<T>> values)
{
    return tern_get_many(session, find_type<T>(session), to_c(ids_of(objects).data()),
                         objects.size(), values.data(), values.size_bytes());
}

inline size_t destroy_many(Session *session, std::span<const ObjectId> objects)
{
    return tern_destroy_many(session, to_c(objects.data()), objects.size());
}

inline size_t claim_many(Session *session, std::span<const ObjectId> objects,
                         ClaimMode mode = ClaimMode::wait)
{
    return tern_claim_many(session, to_c(objects.data()), objects.size(),
                           static_cast<tern_claim_mode>(mode));
}

// Writes the objects of this struct that the last receive() created here, or whose values it
// changed, each once, to `objects`; get_many() reads their structs. Returns the number of all of
// them, which may exceed the room; destroyed ones are left out.
template <GameStruct T> size_t changed_objects(const Session *session, std::span<Object<T>> objects)
{
    return tern_changed_objects(session, find_type<T>(session),
                                reinterpret_cast<tern_object *>(objects.data()), objects.size());
}

}
