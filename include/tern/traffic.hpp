// What a session has sent, bit by bit: for tools and games that look where their bytes go. The
// comments are in traffic.h.
#pragma once
#include "tern/traffic.h"
#include "tern/types.hpp"

namespace tern {

enum class TrafficKind : uint32_t {

    create,
    migrate,
    relay,
    grant,
    report,
    update,
    snapshot,
    call,

    destroy,
    dead,
    claim,
    membership,
    join,
    notice,

    handshake,
    header,
    tag,
    ack,
    frame,
    padding,
    ping,
    path,
    forwarded,
    repeated,

    unsent
};
inline constexpr size_t traffic_kinds = static_cast<size_t>(TrafficKind::unsent) + 1;

struct TrafficRow {
    TrafficKind kind;
    TypeId type;
    uint16_t field;
    int64_t bits;
    uint64_t count;
};
TERN_TWINS(TrafficRow, tern_traffic_row);

inline std::span<const TrafficRow> traffic_rows(const Session *session)
{
    const tern_traffic_row *rows = nullptr;
    const size_t count = tern_traffic_rows(session, &rows);
    return {to_cpp(rows), count};
}

inline const char *to_text(TrafficKind kind)
{
    return tern_traffic_kind_text(static_cast<tern_traffic_kind>(kind));
}

}
