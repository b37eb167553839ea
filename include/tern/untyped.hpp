// Objects and calls whose type only the run knows: those of a binding of another language, and
// several types with one struct. Where these functions take a struct as pointer and size, the size
// must be that of the type. tern.hpp, calls.hpp and many.hpp have the same functions with a struct
// in place of type, pointer and size.
#pragma once
#include "tern/calls.hpp"
#include "tern/many.hpp"

namespace tern {

// The first type in Config::types with this table of fields; no_type if there is none.
inline TypeId find_type(const Session *session, std::span<const Field> fields)
{
    return tern_find_type(session, to_c(fields.data()));
}

// The struct of an object of any type, with its type. value null: can_read() is false.
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

// Whether object_type(), object_owner() and get() may be called: the object exists, or was
// destroyed during the last receive() or after it.
inline bool can_read(const Session *session, ObjectId object)
{
    return tern_find_value(session, to_c(object), nullptr) != nullptr;
}

inline TypeId object_type(const Session *session, ObjectId object)
{
    return tern_object_type(session, to_c(object));
}

// --- Objects ---
inline ObjectId create(Session *session, TypeId type, const void *value, size_t size_bytes)
{
    tern_object object = TERN_NO_OBJECT;
    tern_create(session, type, value, size_bytes, &object);
    return ObjectId{object};
}

template <GameStruct T> Object<T> create(Session *session, TypeId type, const T &value)
{
    return Object<T>{create(session, type, &value, sizeof(T))};
}

inline const void *get(const Session *session, ObjectId object, size_t size_bytes)
{
    return tern_get(session, to_c(object), size_bytes);
}

inline bool set(Session *session, ObjectId object, const void *value, size_t size_bytes)
{
    return tern_set(session, to_c(object), value, size_bytes) == TERN_OK;
}

inline std::span<const ObjectId> object_ids(const Session *session, TypeId type)
{
    return span_of<ObjectId>(tern_object_ids, session, type);
}

inline const void *object_values(const Session *session, TypeId type, size_t size_bytes)
{
    return tern_object_values(session, type, size_bytes);
}

template <GameStruct T> std::span<const T> object_values(const Session *session, TypeId type)
{
    const void *values = object_values(session, type, sizeof(T));
    return {static_cast<const T *>(values), values ? object_ids(session, type).size() : 0};
}

// --- Many objects; `values` has one struct for each, without gaps. ---
inline size_t create_many(Session *session, TypeId type, std::span<const std::byte> values,
                          std::span<ObjectId> created)
{
    return tern_create_many(session, type, values.data(), values.size(), to_c(created.data()),
                            created.size());
}

inline size_t set_many(Session *session, TypeId type, std::span<const ObjectId> objects,
                       std::span<const std::byte> values)
{
    return tern_set_many(session, type, to_c(objects.data()), objects.size(), values.data(),
                         values.size());
}

inline size_t get_many(const Session *session, TypeId type, std::span<const ObjectId> objects,
                       std::span<std::byte> values)
{
    return tern_get_many(session, type, to_c(objects.data()), objects.size(), values.data(),
                         values.size());
}

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

inline size_t changed_objects(const Session *session, TypeId type, std::span<ObjectId> objects)
{
    return tern_changed_objects(session, type, to_c(objects.data()), objects.size());
}

// --- Calls ---
inline bool call(Session *session, PeerId to, TypeId type, const void *arguments, size_t size_bytes,
                 Reliability reliability = Reliability::reliable)
{
    return tern_call(session, to_c(to), type, arguments, size_bytes,
                     static_cast<tern_reliability>(reliability)) == TERN_OK;
}

template <GameStruct T>
bool call(Session *session, PeerId to, TypeId type, const T &arguments,
          Reliability reliability = Reliability::reliable)
{
    return call(session, to, type, &arguments, sizeof(T), reliability);
}

inline CallId call_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                         size_t size_bytes)
{
    tern_call_id call = TERN_NO_CALL;
    tern_call_owner(session, to_c(object), type, arguments, size_bytes, &call);
    return CallId{call};
}

template <GameStruct T>
CallId call_owner(Session *session, ObjectId object, TypeId type, const T &arguments)
{
    return call_owner(session, object, type, &arguments, sizeof(T));
}

inline CallId request(Session *session, PeerId to, TypeId type, const void *arguments,
                      size_t size_bytes, uint32_t timeout_ms = 5000)
{
    tern_call_id call = TERN_NO_CALL;
    tern_request(session, to_c(to), type, arguments, size_bytes, timeout_ms, &call);
    return CallId{call};
}

template <GameStruct T>
CallId request(Session *session, PeerId to, TypeId type, const T &arguments,
               uint32_t timeout_ms = 5000)
{
    return request(session, to, type, &arguments, sizeof(T), timeout_ms);
}

inline CallId request_owner(Session *session, ObjectId object, TypeId type, const void *arguments,
                            size_t size_bytes, uint32_t timeout_ms = 5000)
{
    tern_call_id call = TERN_NO_CALL;
    tern_request_owner(session, to_c(object), type, arguments, size_bytes, timeout_ms, &call);
    return CallId{call};
}

template <GameStruct T>
CallId request_owner(Session *session, ObjectId object, TypeId type, const T &arguments,
                     uint32_t timeout_ms = 5000)
{
    return request_owner(session, object, type, &arguments, sizeof(T), timeout_ms);
}

// `caller` and `call` are event.call.peer and event.call.id.
inline bool reply(Session *session, PeerId caller, CallId call, TypeId type, const void *arguments,
                  size_t size_bytes)
{
    return tern_reply(session, to_c(caller), to_c(call), type, arguments, size_bytes) == TERN_OK;
}

template <GameStruct T>
bool reply(Session *session, const CallEvent &called, TypeId type, const T &arguments)
{
    return reply(session, called.peer, called.id, type, &arguments, sizeof(T));
}

// find_arguments() of an event whose type the caller has compared.
template <GameStruct T> const T &call_arguments(const Event &event)
{
    return *static_cast<const T *>(event.call.arguments);
}

}
