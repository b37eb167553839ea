// The functions of tern.h on objects.
#include "c_interface/c_session.h"

using namespace tern;
using c_interface::Attempt;
using c_interface::inside;

tern_result tern_create(tern_session *session, tern_type_id type, const void *value,
                        size_t size_bytes, tern_object *object)
{
    const Attempt attempt(session);
    const ObjectId created = create(inside(session), type, value, size_bytes);
    if (object) *object = static_cast<tern_object>(created);
    return attempt.result(created != ObjectId::none, TERN_NO_ROOM);
}

uint32_t tern_creations_left(const tern_session *session, tern_type_id type)
{
    return creations_left(inside(session), type);
}

tern_result tern_destroy(tern_session *session, tern_object object)
{
    const Attempt attempt(session);
    return attempt.result(destroy(inside(session), ObjectId{object}), TERN_GONE);
}

bool tern_exists(const tern_session *session, tern_object object)
{
    return exists(inside(session), ObjectId{object});
}

bool tern_can_read(const tern_session *session, tern_object object)
{
    return can_read(inside(session), ObjectId{object});
}

tern_type_id tern_object_type(const tern_session *session, tern_object object)
{
    return object_type(inside(session), ObjectId{object});
}

tern_peer tern_object_owner(const tern_session *session, tern_object object)
{
    return static_cast<tern_peer>(object_owner(inside(session), ObjectId{object}));
}

uint64_t tern_object_stamp(const tern_session *session, tern_object object)
{
    return object_stamp(inside(session), ObjectId{object});
}

const void *tern_get(const tern_session *session, tern_object object, size_t size_bytes)
{
    return get(inside(session), ObjectId{object}, size_bytes);
}

tern_result tern_set(tern_session *session, tern_object object, const void *value,
                     size_t size_bytes)
{
    const Attempt attempt(session);
    return attempt.result(set(inside(session), ObjectId{object}, value, size_bytes), TERN_GONE);
}

bool tern_may_set(const tern_session *session, tern_object object)
{
    return may_set(inside(session), ObjectId{object});
}

tern_result tern_sample(const tern_session *session, tern_object object, uint64_t at_us,
                        void *value, size_t size_bytes)
{
    const Attempt attempt(session);
    if (sample(inside(session), ObjectId{object}, at_us, value, size_bytes)) return TERN_OK;
    const tern_result result = attempt.result(false, TERN_GONE);
    return result == TERN_MISUSE ? result : TERN_GONE; // It works while the session is cut off.
}

size_t tern_object_ids(const tern_session *session, tern_type_id type, const tern_object **objects)
{
    const std::span<const ObjectId> ids = object_ids(inside(session), type);
    if (objects) *objects = c_interface::to_c(ids.data());
    return ids.size();
}

const void *tern_object_values(const tern_session *session, tern_type_id type, size_t size_bytes)
{
    return object_values(inside(session), type, size_bytes);
}

tern_result tern_claim(tern_session *session, tern_object object, tern_claim_mode mode)
{
    const Attempt attempt(session);
    const auto as = static_cast<ClaimMode>(mode);
    return attempt.result(claim(inside(session), ObjectId{object}, as), TERN_NO_ROOM);
}

bool tern_is_claiming(const tern_session *session, tern_object object)
{
    return is_claiming(inside(session), ObjectId{object});
}

tern_result tern_release_ownership(tern_session *session, tern_object object)
{
    const Attempt attempt(session);
    return attempt.result(release_ownership(inside(session), ObjectId{object}), TERN_GONE);
}

tern_result tern_lock(tern_session *session, tern_object object, bool locked)
{
    const Attempt attempt(session);
    return attempt.result(lock(inside(session), ObjectId{object}, locked), TERN_GONE);
}

tern_result tern_set_priority(tern_session *session, tern_object object, tern_peer peer,
                              float priority)
{
    const Attempt attempt(session);
    return attempt.result(set_priority(inside(session), ObjectId{object}, PeerId{peer}, priority),
                          TERN_GONE);
}

bool tern_is_hidden(const tern_session *session, tern_object object)
{
    return is_hidden(inside(session), ObjectId{object});
}

tern_result tern_set_interest(tern_session *session, tern_type_id type, uint16_t position,
                              const tern_viewpoint *viewpoints, size_t count, float near_distance,
                              float far_distance)
{
    const Attempt attempt(session);
    const std::span<const Viewpoint> from(reinterpret_cast<const Viewpoint *>(viewpoints), count);
    return attempt.result(
        set_interest(inside(session), type, position, from, near_distance, far_distance),
        TERN_GONE);
}

// --- Many objects ---

size_t tern_create_many(tern_session *session, tern_type_id type, const void *values,
                        size_t size_bytes, tern_object *created, size_t count)
{
    return create_many(inside(session), type,
                       {static_cast<const std::byte *>(values), count * size_bytes}, size_bytes,
                       {reinterpret_cast<ObjectId *>(created), count});
}

size_t tern_set_many(tern_session *session, tern_type_id type, const tern_object *objects,
                     const void *values, size_t size_bytes, size_t count)
{
    return set_many(inside(session), type, c_interface::from_c(objects, count),
                    {static_cast<const std::byte *>(values), count * size_bytes}, size_bytes);
}

size_t tern_get_many(const tern_session *session, tern_type_id type, const tern_object *objects,
                     void *values, size_t size_bytes, size_t count)
{
    return get_many(inside(session), type, c_interface::from_c(objects, count),
                    {static_cast<std::byte *>(values), count * size_bytes}, size_bytes);
}

size_t tern_destroy_many(tern_session *session, const tern_object *objects, size_t count)
{
    return destroy_many(inside(session), c_interface::from_c(objects, count));
}

size_t tern_claim_many(tern_session *session, const tern_object *objects, size_t count,
                       tern_claim_mode mode)
{
    return claim_many(inside(session), c_interface::from_c(objects, count),
                      static_cast<ClaimMode>(mode));
}

uint64_t tern_world_digest(const tern_session *session)
{
    return world_digest(inside(session));
}

const char *tern_explain(const tern_session *session, tern_object object, tern_peer peer)
{
    return to_text(explain(inside(session), ObjectId{object}, PeerId{peer}).why);
}
