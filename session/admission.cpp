#include "session/admission.h"
#include "session/bridge.h"
#include "session/former.h"
#include "session/join_messages.h"
#include "session/misuse.h"
#include "session/peer_links.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include "tern/limits.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tern {
namespace session {

static void answer_refused(Session &s, ConnectionIndex index, JoinRefusal refusal,
                           std::span<const char> text)
{
    const std::span<std::byte> buffer(s.connections.message_buffer, stream_message_bytes_max);
    queue_join_message(s, index, write_refused(refusal, text, buffer));
    // The connection stays until the newcomer has closed it, or for unidentified_time_us.
    PeerLink &p = s.connections.links[index];
    p.has_asked = true;
    p.may_ask_again = refusal == JoinRefusal::not_host;
    s.accounts.refused_full += refusal == JoinRefusal::full;
    s.accounts.refused_types += refusal == JoinRefusal::types || refusal == JoinRefusal::limits;
    if (p.may_ask_again) p.since_us = s.now_us;
    p.peer = PeerId::none;
}

bool is_banned(const Session &s, const uint8_t *key)
{
    const uint32_t count = std::min(s.former.banned_count, banned_max);
    for (uint32_t i = 0; i < count; ++i)
        if (std::memcmp(s.former.banned[i], key, 32) == 0) return true;
    return false;
}

static void take_in(Session &s, ConnectionIndex index, PeerId id)
{
    if (!replica::room_for_member(*s.replica))
        return answer_refused(s, index, JoinRefusal::full, {});
    replica::admit(*s.replica, id, s.connections.links[index].identity);
    bind(s, index, id); // Now, so that a loss of the connection in this tick is a departure.
}

static void ask_game(Session &s, PeerLink &from)
{
    Event event = {};
    event.kind = EventKind::join_asked;
    event.newcomer = {.peer = from.peer,
                      .previous = PeerId::none,
                      .payload_bytes = from.payload_bytes,
                      .name = from.identity.name,
                      .payload = from.payload};
    push_event(s, event);
}

// A fenced member keeps its place until its departure has ended.
static bool place_comes_free(const Replica &r)
{
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.fenced) return true;
    return false;
}

// The reason for a refusal without asking the game; none: there is no such reason.
static JoinRefusal reason_against(const Session &s, const Join &join)
{
    if (replica::host(*s.replica) != s.replica->self || s.state != State::open)
        return JoinRefusal::not_host;
    if (join.types_digest != type_table::digest(s.types)) return JoinRefusal::types;
    if (join.peers_max != s.config.peers_max) return JoinRefusal::limits;
    if (join.quorum != static_cast<uint8_t>(s.config.quorum)) return JoinRefusal::limits;
    if (join.topology != static_cast<uint8_t>(s.config.topology)) return JoinRefusal::limits;
    if (replica::room_for_member(*s.replica)) return JoinRefusal::none;
    return place_comes_free(*s.replica) ? JoinRefusal::not_host : JoinRefusal::full;
}

// The member that a newcomer should ask instead of us. none: us again, later.
static PeerId who_takes_in(const Session &s)
{
    const Replica &r = *s.replica;
    const PeerId host = replica::host(r);
    if (host != r.self) return host;
    if (s.state == State::open) return PeerId::none;
    PeerId next = PeerId::none; // We are leaving: name the next host.
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && member.votes &&
            (next == PeerId::none || member.id < next))
            next = member.id;
    return next;
}

static size_t describe_host(const Session &s, std::span<char> text)
{
    const PeerId peer = bridge_or_self(s, who_takes_in(s)); // The relay knows the host's address.
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (slot == no_member) return 0;
    const Identity &identity = s.replica->members[slot].identity;
    Target target = {};
    std::memcpy(target.key, identity.key, sizeof target.key);
    const ConnectionIndex index = link_to(s, peer);
    target.address = index == no_connection ? Address{} : direct_address(s, index);
    if (target.address.port == 0) target.address = identity.address;
    return target.address.port == 0 ? 0 : write_target(target, text);
}

static const char *quorum_name(uint8_t quorum)
{
    return quorum == static_cast<uint8_t>(Quorum::survivors) ? "survivors" : "majority";
}

static const char *topology_name(uint8_t topology)
{
    return topology == static_cast<uint8_t>(Topology::star) ? "star" : "mesh";
}

static size_t describe_limits(const Session &s, const Join &join, std::span<char> text)
{
    int size;
    if (join.peers_max != s.config.peers_max)
        size = std::snprintf(text.data(), text.size(), "its peers_max is %u, here it is %u",
                             s.config.peers_max, join.peers_max);
    else if (join.quorum != static_cast<uint8_t>(s.config.quorum))
        size = std::snprintf(text.data(), text.size(), "its quorum is %s, here it is %s",
                             quorum_name(static_cast<uint8_t>(s.config.quorum)),
                             quorum_name(join.quorum));
    else
        size = std::snprintf(text.data(), text.size(), "its topology is %s, here it is %s",
                             topology_name(static_cast<uint8_t>(s.config.topology)),
                             topology_name(join.topology));
    return static_cast<size_t>(size);
}

static void refuse_join(Session &s, ConnectionIndex index, const Join &join, JoinRefusal refusal)
{
    char text[description_bytes_max];
    size_t size = 0;
    if (refusal == JoinRefusal::types) size = type_table::describe(s.types, text);
    if (refusal == JoinRefusal::limits) size = describe_limits(s, join, text);
    if (refusal == JoinRefusal::not_host) size = describe_host(s, text);
    answer_refused(s, index, refusal, std::span(text, size));
}

static void refuse_banned(Session &s, ConnectionIndex index)
{
    const char reason[] = "this peer was removed from the session";
    answer_refused(s, index, JoinRefusal::by_game, std::span(reason, sizeof reason - 1));
}

static void keep_join(Session &s, ConnectionIndex index, const Join &join)
{
    PeerLink &from = peer_link(s, index);
    std::memcpy(from.identity.key, endpoint::key(*s.endpoint, index), 32);
    std::memcpy(from.identity.signing_key, join.signing_key, 32);
    std::memcpy(from.identity.name, join.name, name_bytes_max);
    from.identity.address = direct_address(s, index);
    from.payload_bytes = join.payload_bytes;
    std::memcpy(from.payload, join.payload, join.payload_bytes);
    from.peer = replica::next_peer_id(*s.replica);
}

// A JOIN may have been on its way for seconds, and its sender may have ended since. If it were
// admitted, the others would have a member that nobody is, until its silence removes it.
static bool is_there_still(Session &s, ConnectionIndex index)
{
    PeerLink &from = peer_link(s, index);
    Connection &c = endpoint::at(*s.endpoint, index);
    if (!from.is_doubted && s.now_us - from.answered_us < fresh_join_us) return true;
    if (from.is_doubted) return connection::has_acked_since(c, from.doubt_number);
    from.is_doubted = true;
    from.doubt_number = connection::next_number(c);
    connection::ping(c);
    return false;
}

// The newcomer was a member until it lost this session, and joins again under the same key.
static void remove_former_incarnation(Session &s, ConnectionIndex index)
{
    const PeerId former = member_with_key(s, endpoint::key(*s.endpoint, index));
    const MemberSlot slot = replica::find_member(*s.replica, former);
    if (slot == no_member) return;
    if (s.replica->members[slot].caught_up)
        replica::give_up(*s.replica, former);
    else
        replica::peer_gone(*s.replica, former);
}

bool receive_from_unidentified(Session &s, ConnectionIndex index,
                               std::span<const std::byte> message)
{
    PeerLink &from = peer_link(s, index);
    Join join;
    Rank rank;
    const bool banned = is_banned(s, endpoint::key(*s.endpoint, index));
    if (read_meet(message, rank) && s.config.quorum == Quorum::survivors) {
        if (banned)
            refuse_banned(s, index);
        else if (replica::host(*s.replica) == s.replica->self)
            receive_meet(s, index, rank);
        else
            refuse_join(s, index, {}, JoinRefusal::not_host);
        return true;
    }
    if (!read_join(message, join)) {
        // The host accepts nothing else from an unidentified peer. Elsewhere it may be a newcomer
        // or a member that our view does not name yet.
        if (replica::host(*s.replica) != s.replica->self) return false;
        endpoint::count_bad_datagram(*s.endpoint);
        end_link(s, index, CloseReason::protocol_error);
        return true;
    }
    if (!is_there_still(s, index)) return false;
    from.has_asked = true;
    remove_former_incarnation(s, index);
    const JoinRefusal refusal = reason_against(s, join);
    if (banned) {
        refuse_banned(s, index);
    } else if (refusal != JoinRefusal::none) {
        refuse_join(s, index, join, refusal);
    } else {
        keep_join(s, index, join);
        if (s.config.admission == Admission::always)
            take_in(s, index, from.peer);
        else
            ask_game(s, from);
    }
    return true;
}

}

}

using namespace tern;

static ConnectionIndex find_join_target(Session &s, PeerId newcomer)
{
    for (ConnectionIndex i = 0; i < s.connections.count; ++i)
        if (s.connections.links[i].role == PeerRole::unidentified &&
            s.connections.links[i].has_asked && s.connections.links[i].peer == newcomer)
            return i;
    return no_connection;
}

tern_result tern_admit(tern_session *session, tern_peer newcomer)
{
    const misuse::Entry entry = misuse::change(session, "admit");
    if (!entry) return TERN_MISUSE;
    const PeerId peer{newcomer};
    session::record(*session, session::about(RecordKind::admit, ObjectId::none, peer));
    const ConnectionIndex index = find_join_target(*session, peer);
    if (index == no_connection) return TERN_GONE;
    session::take_in(*session, index, peer);
    return TERN_OK;
}

tern_result tern_refuse(tern_session *session, tern_peer newcomer, const char *reason)
{
    const misuse::Entry entry = misuse::change(session, "refuse");
    if (!entry) return TERN_MISUSE;
    if (!reason) reason = "";
    const std::span<const char> text(reason, strnlen(reason, reason_bytes_max - 1));
    Record line = session::about(RecordKind::refuse, ObjectId::none, PeerId{newcomer});
    line.bytes = std::as_bytes(text);
    session::record(*session, line);
    const ConnectionIndex index = find_join_target(*session, PeerId{newcomer});
    if (index == no_connection) return TERN_GONE;
    session::answer_refused(*session, index, JoinRefusal::by_game, text);
    return TERN_OK;
}
