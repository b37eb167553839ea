// These functions say which peer gets which objects, and how often, in C99. docs/use/interest.md.
#ifndef TERN_INTEREST_H
#define TERN_INTEREST_H

#include "tern/tern.h"

#ifdef __cplusplus
extern "C" {
#endif

// The sender of an object (its owner; in a star the host) sets how often `peer` gets it. 1: in each
// tick in which it changes; 0.5: in every second one; 0: it is hidden from the peer.
TERN_API tern_result tern_set_priority(tern_session *session, tern_object object, tern_peer peer,
                                       float priority);
TERN_API bool tern_is_hidden(const tern_session *session, tern_object object);

typedef struct tern_viewpoint { // A peer sees the world from here.
    tern_peer peer;
    float position[3];
} tern_viewpoint;
// Sets the priorities of all objects of a type by distance: 1 within near_distance, then 1/2, 1/3
// and so on; hidden beyond far_distance. `position`: the index of a TERN_FLOAT32 field of 1 to 3
// numbers.
TERN_API tern_result tern_set_interest(tern_session *session, tern_type_id type, uint16_t position,
                                       const tern_viewpoint *viewpoints, size_t count,
                                       float near_distance, float far_distance);

#ifdef __cplusplus
}
#endif
#endif
