// The functions of tern.hpp, which includes this header, with a game struct in place of pointer and
// size. Those that take no TypeId use the first type that make_type() has made of the struct; one
// that takes an Object<T> takes the struct T only.
#pragma once
#include "tern/fields.hpp"
#include "tern/tern.hpp"
#include <type_traits>

namespace tern {

template <class T>
concept GameStruct = std::is_trivially_copyable_v<T> && std::is_class_v<T>;
template <class T, class U>
concept OtherStruct = GameStruct<U> && !std::is_same_v<T, U>;

// The first type in Config::types with this table of fields; no_type if there is none.
inline TypeId find_type(const Session *session, std::span<const Field> fields)
{
    return tern_find_type(session, to_c(fields.data()));
}

template <GameStruct T> TypeId find_type(const Session *session)
{
    return find_type(session, std::span<const Field>(fields_of<T>));
}

// The struct of an object of any type, with its type: for a debugger's view or a binding of another
// language, which do not know the type before. value null: can_read() is false.
struct FoundValue {
    const void *value;
    TypeId type;
};
inline FoundValue find_value(const Session *session, ObjectId object)
{
    tern_type_id type = no_type;
    const void *value = tern_find_value(session, to_c(object), &type);
    return {value, type};
}

// The object, if it can be read here and its type has the struct T; else an empty one.
template <GameStruct T> Object<T> find_object(const Session *session, ObjectId object)
{
    const FoundValue found = find_value(session, object);
    if (!found.value) return {};
    return found.type == find_type<T>(session) ? Object<T>{object} : Object<T>{};
}

// The arguments of a call, a reply or a failed call, if its type has the struct T; else null.
template <GameStruct T> const T *find_arguments(const Session *session, const Event &event)
{
    if (event.kind < EventKind::call || !event.call.arguments) return nullptr;
    if (event.call.type != find_type<T>(session)) return nullptr;
    return static_cast<const T *>(event.call.arguments);
}

template <GameStruct T> ObjectId create(Session *session, TypeId type, const T &value)
{
    return create(session, type, &value, sizeof(T));
}

template <GameStruct T> Object<T> create(Session *session, const T &value)
{
    return {create(session, find_type<T>(session), &value, sizeof(T))};
}

// This get() gives an empty struct if the one with a size gives null.
template <GameStruct T> const T &get(const Session *session, ObjectId object)
{
    static const T nothing = {};
    const void *value = get(session, object, sizeof(T));
    return value ? *static_cast<const T *>(value) : nothing;
}

// A later set() may change what the reference refers to.
template <GameStruct T> const T &get(const Session *session, Object<T> object)
{
    return get<T>(session, object.id);
}

template <class T, OtherStruct<T> U> const T &get(const Session *session, Object<U>) = delete;

template <GameStruct T> bool set(Session *session, ObjectId object, const T &value)
{
    return set(session, object, &value, sizeof(T));
}

template <GameStruct T> bool set(Session *session, Object<T> object, const T &value)
{
    return set(session, object.id, &value, sizeof(T));
}

template <class T, OtherStruct<T> U> bool set(Session *, Object<T>, const U &) = delete;

template <GameStruct T>
size_t create_many(Session *session, TypeId type, std::span<const T> values,
                   std::span<ObjectId> created)
{
    return create_many(session, type, std::as_bytes(values), created);
}

template <GameStruct T>
size_t set_many(Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<const T> values)
{
    return set_many(session, type, objects, std::as_bytes(values));
}

template <GameStruct T>
size_t get_many(const Session *session, TypeId type, std::span<const ObjectId> objects,
                std::span<T> values)
{
    return get_many(session, type, objects, std::as_writable_bytes(values));
}

template <GameStruct T>
bool sample(const Session *session, ObjectId object, uint64_t at_us, T &value)
{
    return sample(session, object, at_us, &value, sizeof(T));
}

template <GameStruct T>
bool sample(const Session *session, Object<T> object, uint64_t at_us, T &value)
{
    return sample(session, object.id, at_us, &value, sizeof(T));
}

template <class T, OtherStruct<T> U>
bool sample(const Session *, Object<T>, uint64_t, U &) = delete;

template <GameStruct T> std::span<const Object<T>> object_ids(const Session *session)
{
    const std::span<const ObjectId> ids = object_ids(session, find_type<T>(session));
    static_assert(sizeof(Object<T>) == sizeof(ObjectId));
    return {reinterpret_cast<const Object<T> *>(ids.data()), ids.size()};
}

template <GameStruct T> std::span<const T> object_values(const Session *session, TypeId type)
{
    const void *values = object_values(session, type, sizeof(T));
    if (!values) return {};
    return {static_cast<const T *>(values), object_ids(session, type).size()};
}

template <GameStruct T> std::span<const T> object_values(const Session *session)
{
    return object_values<T>(session, find_type<T>(session));
}

template <GameStruct T>
bool call(Session *session, PeerId to, TypeId type, const T &arguments,
          Reliability reliability = Reliability::reliable)
{
    return call(session, to, type, &arguments, sizeof(T), reliability);
}

template <GameStruct T>
bool call(Session *session, PeerId to, const T &arguments,
          Reliability reliability = Reliability::reliable)
{
    return call(session, to, find_type<T>(session), &arguments, sizeof(T), reliability);
}

// find_arguments() of an event whose type the caller has compared.
template <GameStruct T> const T &call_arguments(const Event &event)
{
    return *static_cast<const T *>(event.call.arguments);
}

template <GameStruct T>
CallId call_owner(Session *session, ObjectId object, TypeId type, const T &arguments)
{
    return call_owner(session, object, type, &arguments, sizeof(T));
}

template <GameStruct T> CallId call_owner(Session *session, ObjectId object, const T &arguments)
{
    return call_owner(session, object, find_type<T>(session), &arguments, sizeof(T));
}

template <GameStruct T>
CallId request(Session *session, PeerId to, TypeId type, const T &arguments,
               uint32_t timeout_ms = 5000)
{
    return request(session, to, type, &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
CallId request(Session *session, PeerId to, const T &arguments, uint32_t timeout_ms = 5000)
{
    return request(session, to, find_type<T>(session), &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
CallId request_owner(Session *session, ObjectId object, TypeId type, const T &arguments,
                     uint32_t timeout_ms = 5000)
{
    return request_owner(session, object, type, &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
CallId request_owner(Session *session, ObjectId object, const T &arguments,
                     uint32_t timeout_ms = 5000)
{
    return request_owner(session, object, find_type<T>(session), &arguments, sizeof(T), timeout_ms);
}

template <GameStruct T>
bool reply(Session *session, const Event &called, TypeId type, const T &arguments)
{
    return reply(session, called.call.peer, called.call.id, type, &arguments, sizeof(T));
}

template <GameStruct T> bool reply(Session *session, const Event &called, const T &arguments)
{
    return reply(session, called, find_type<T>(session), arguments);
}

}
