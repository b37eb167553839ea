// Many objects at once, for engines whose calls into tern cost, in C99.
#ifndef TERN_MANY_H
#define TERN_MANY_H

#include "tern/tern.h"

#ifdef __cplusplus
extern "C" {
#endif

// These do for `count` objects what the functions of tern.h do for one. `values` has a struct for
// each object, without gaps, in values_bytes. An object for which the call is wrong is left out and
// reported. Each gives the number of the other ones. tern_create_many() ends with the first one
// that cannot be created; tern_get_many() gives zeros for an object that is not known.
TERN_API size_t tern_create_many(tern_session *session, tern_type_id type, const void *values,
                                 size_t values_bytes, tern_object *created, size_t count);
TERN_API size_t tern_set_many(tern_session *session, tern_type_id type, const tern_object *objects,
                              size_t count, const void *values, size_t values_bytes);
TERN_API size_t tern_get_many(const tern_session *session, tern_type_id type,
                              const tern_object *objects, size_t count, void *values,
                              size_t values_bytes);
TERN_API size_t tern_destroy_many(tern_session *session, const tern_object *objects, size_t count);
TERN_API size_t tern_claim_many(tern_session *session, const tern_object *objects, size_t count,
                                tern_claim_mode mode);

// Writes the ids of the objects of a type that the last tern_receive() created here, or whose
// values it changed, each once, to `objects`, which has room for `count`. tern_get_many() reads
// their structs. Gives the number of all of them, which may exceed `count`; destroyed ones are left
// out.
TERN_API size_t tern_changed_objects(const tern_session *session, tern_type_id type,
                                     tern_object *objects, size_t count);

#ifdef __cplusplus
}
#endif
#endif
