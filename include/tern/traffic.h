// What a session has sent, bit by bit: for tools and games that look where their bytes go. For C99.
#ifndef TERN_TRAFFIC_H
#define TERN_TRAFFIC_H

#include "tern/tern.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tern_traffic_kind {
    // Messages whose values are counted by type and field.
    TERN_TRAFFIC_CREATE,
    TERN_TRAFFIC_MIGRATE,
    TERN_TRAFFIC_RELAY,
    TERN_TRAFFIC_GRANT,
    TERN_TRAFFIC_REPORT, // A member reports its copy of an orphan to the host.
    TERN_TRAFFIC_UPDATE,
    TERN_TRAFFIC_SNAPSHOT, // Updates of predicted types; split by type only.
    TERN_TRAFFIC_CALL,     // Includes replies and outcomes.
    // Messages without values.
    TERN_TRAFFIC_DESTROY,
    TERN_TRAFFIC_DEAD,       // Ids of destroyed objects, for a newcomer or a new host.
    TERN_TRAFFIC_CLAIM,      // Includes releases, locks and refusals.
    TERN_TRAFFIC_MEMBERSHIP, // Welcomes, views, world sync, queries and the ends of reports.
    TERN_TRAFFIC_JOIN,       // First messages of a newcomer and of the member that answers it.
    TERN_TRAFFIC_NOTICE,     // The host's clock, and what members ask it about leases.
    // Overhead of the transport.
    TERN_TRAFFIC_HANDSHAKE, // Whole datagrams.
    TERN_TRAFFIC_HEADER,
    TERN_TRAFFIC_TAG, // AEAD tags: 16 bytes of each datagram but handshakes.
    TERN_TRAFFIC_ACK,
    TERN_TRAFFIC_FRAME,   // The head of each frame of a packet, and of each message of a stream.
    TERN_TRAFFIC_PADDING, // Bits that fill messages to whole bytes. That of a call counts as call.
    TERN_TRAFFIC_PING,    // Keep-alives, probes and goodbyes.
    TERN_TRAFFIC_PATH,    // Path challenges and answers, sender and recipient of what is bridged.
    TERN_TRAFFIC_FORWARDED, // Relayed datagrams of other members, whole.
    TERN_TRAFFIC_REPEATED,  // Stream bytes sent again: after a loss, or as a copy ahead of it.
    // Negative: bits charged above that were not sent. They wait in a stream, or their connection
    // has ended, or the relay had no room.
    TERN_TRAFFIC_UNSENT
} tern_traffic_kind;
#define TERN_TRAFFIC_KINDS 25
TERN_API const char *tern_traffic_kind_text(tern_traffic_kind kind); // A word or two for people.

// Sent bits of one kind. A kind with values has a row for each type and field; a row for each type
// with TERN_NO_FIELD, for what identifies and frames a value; and a row with TERN_NO_TYPE, for the
// rest of the messages.
typedef struct tern_traffic_row {
    tern_traffic_kind kind;
    tern_type_id type; // TERN_NO_TYPE: bits that belong to no type.
    uint16_t field;    // An index into tern_type.fields, or TERN_NO_FIELD.
    int64_t bits;
    uint64_t count; // Messages or datagrams; of a field: how often it was sent.
} tern_traffic_row;

// Accounts for all datagrams that tern_send() has ever given: the bits of all rows add up to the
// bits of these datagrams. Gives the number of rows, and points `rows` to them. The number and
// order of the rows never change; rows of 0 bits are among them.
TERN_API size_t tern_traffic_rows(const tern_session *session, const tern_traffic_row **rows);

#ifdef __cplusplus
}
#endif
#endif
