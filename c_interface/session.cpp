// The functions of tern.h on sessions, ticks, invites and peers.
#include "c_interface/c_session.h"
#include "session/misuse.h"
#include <algorithm>
#include <cstring>

using namespace tern;
using c_interface::Attempt;
using c_interface::inside;

const char *tern_version(void)
{
    return TERN_VERSION;
}

const char *tern_result_text(tern_result result)
{
    switch (result) {
    case TERN_OK: return "It is done.";
    case TERN_MISUSE: return "The call was wrong; the handler of misuses got a report.";
    case TERN_CUT_OFF: return "The session is cut off: nothing can change.";
    case TERN_NO_ROOM: return "A limit or a queue is full; try again later.";
    case TERN_GONE: return "The peer or the object is not there, or not any more.";
    case TERN_NOT_ALLOWED: return "This peer may not make this call, or not so often.";
    case TERN_BAD_CONFIG: return "The config is wrong; tern_config_problem() says what.";
    case TERN_BAD_TEXT: return "The text is no invite or no address.";
    case TERN_NO_MEMORY: return "There is too little memory.";
    case TERN_PORT_IN_USE: return "The port is in use.";
    case TERN_NOT_PERMITTED: return "The port may not be used: it is below 1024, or a firewall.";
    case TERN_NO_SUCH_FAMILY: return "This machine does not have this version of IP.";
    case TERN_SYSTEM: return "The system is out of descriptors or memory.";
    }
    return "It is no result of this version.";
}

// --- A session ---

tern_result tern_start(tern_session *session)
{
    const Attempt attempt(session);
    const bool is_done = start(inside(session));
    if (is_done) c_interface::log_state(*session);
    return attempt.result(is_done, TERN_GONE);
}

tern_result tern_join(tern_session *session, const char *invite, const void *payload,
                      size_t payload_bytes)
{
    const Attempt attempt(session);
    const ParsedInvite parsed = parse_invite(invite ? invite : "");
    if (session && parsed.error) return TERN_BAD_TEXT;
    const JoinPayload sent = {{static_cast<const std::byte *>(payload), payload_bytes}};
    const bool is_done = join(inside(session), parsed.invite, sent);
    if (is_done) c_interface::log_state(*session);
    return attempt.result(is_done, TERN_GONE);
}

tern_result tern_leave(tern_session *session)
{
    const Attempt attempt(session);
    const bool is_done = leave(inside(session));
    if (is_done) c_interface::log_state(*session);
    return attempt.result(is_done, TERN_GONE);
}

tern_result tern_go_on(tern_session *session)
{
    const Attempt attempt(session);
    const bool is_done = go_on(inside(session));
    if (is_done) c_interface::log_state(*session);
    return attempt.result(is_done, TERN_GONE);
}

tern_state tern_session_state(const tern_session *session)
{
    return static_cast<tern_state>(session_state(inside(session)));
}

const char *tern_state_text(const tern_session *session)
{
    return state_text(inside(session));
}

// --- A tick ---

tern_result tern_receive(tern_session *session, const tern_datagram *datagrams, size_t count,
                         uint64_t now_us)
{
    const uint64_t misuses = session ? session->misuses : 0;
    receive(inside(session), c_interface::from_c(datagrams, count), now_us);
    if (!session || session->misuses != misuses) return TERN_MISUSE;
    c_interface::log_events(*session);
    return TERN_OK;
}

size_t tern_send(tern_session *session, uint64_t now_us, const tern_datagram **datagrams)
{
    const std::span<const Datagram> sent = send(inside(session), now_us);
    if (datagrams) *datagrams = c_interface::to_c(sent.data());
    return sent.size();
}

size_t tern_take_recording(tern_session *session, const void **bytes)
{
    const std::span<const std::byte> taken = take_recording(inside(session));
    if (bytes) *bytes = taken.data();
    return taken.size();
}

// --- Invites ---

tern_result tern_make_invite(const tern_session *session, const tern_address *addresses,
                             size_t count, char invite[TERN_INVITE_TEXT_MAX])
{
    const Attempt attempt(session);
    const Invite made = make_invite(inside(session), c_interface::from_c(addresses, count));
    const bool is_made = made.address_count > 0;
    const InviteText text = is_made ? to_text(made) : InviteText{};
    if (invite) std::memcpy(invite, text.text, sizeof text.text);
    return attempt.result(is_made, TERN_GONE);
}

const char *tern_invite_problem(const char *invite)
{
    return parse_invite(invite ? invite : "").error;
}

// --- Peers ---

const char *tern_breach_text(tern_breach breach)
{
    return to_text(static_cast<Breach>(breach));
}

tern_peer tern_local_peer(const tern_session *session)
{
    return static_cast<tern_peer>(local_peer(inside(session)));
}

tern_peer tern_host_peer(const tern_session *session)
{
    return static_cast<tern_peer>(host_peer(inside(session)));
}

size_t tern_other_peers(const tern_session *session, const tern_peer **peers)
{
    const std::span<const PeerId> others = other_peers(inside(session));
    if (peers) *peers = c_interface::to_c(others.data());
    return others.size();
}

const char *tern_peer_name(const tern_session *session, tern_peer peer)
{
    return peer_name(inside(session), PeerId{peer});
}

// Fills as much of the struct as its caller knows.
template <class T> static tern_result give(T from, T *to)
{
    const uint32_t struct_size = to->struct_size;
    from.struct_size = struct_size;
    std::memcpy(to, &from, std::min<size_t>(struct_size, sizeof from));
    return TERN_OK;
}

template <class T> static bool is_sized(const T *to, const char *function)
{
    if (to && to->struct_size >= sizeof to->struct_size) return true;
    return misuse::report(MisuseHandler{}, function, "Set struct_size to the sizeof of the struct.",
                          "The struct for the result is NULL, or its struct_size is not set.");
}

tern_result tern_get_peer_stats(const tern_session *session, tern_peer peer, tern_peer_stats *stats)
{
    if (!is_sized(stats, "tern_get_peer_stats")) return TERN_MISUSE;
    const Attempt attempt(session);
    const Stats from = peer_stats(inside(session), PeerId{peer});
    const tern_result result = attempt.result(false, TERN_OK);
    if (result == TERN_MISUSE) return result;
    tern_peer_stats to = {};
    to.rtt_us = from.rtt_us;
    to.rtt_variance_us = from.rtt_variance_us;
    to.datagram_bytes = from.datagram_bytes;
    to.sent_datagrams = from.sent_datagrams;
    to.sent_bytes = from.sent_bytes;
    to.received_datagrams = from.received_datagrams;
    to.received_bytes = from.received_bytes;
    to.lost_datagrams = from.lost_datagrams;
    std::ranges::copy(from.breaches, to.breaches);
    to.bridged = from.bridged;
    return give(to, stats);
}

tern_result tern_get_session_stats(const tern_session *session, tern_session_stats *stats)
{
    if (!is_sized(stats, "tern_get_session_stats")) return TERN_MISUSE;
    const Attempt attempt(session);
    const SessionStats from = session_stats(inside(session));
    const tern_result result = attempt.result(false, TERN_OK);
    if (result == TERN_MISUSE) return result;
    tern_session_stats to = {};
    to.bad_datagrams = from.bad_datagrams;
    to.objects = from.objects;
    to.owned = from.owned;
    to.migrations = from.migrations;
    to.dead_ranges = from.dead_ranges;
    to.forwarded_datagrams = from.forwarded_datagrams;
    to.forwarded_bytes = from.forwarded_bytes;
    to.not_forwarded = from.not_forwarded;
    to.refused_full = from.refused_full;
    to.refused_types = from.refused_types;
    to.refused_calls = from.refused_calls;
    return give(to, stats);
}

uint64_t tern_session_clock_us(const tern_session *session, uint64_t now_us)
{
    return session_clock_us(inside(session), now_us);
}

// --- For the host's game ---

tern_result tern_admit(tern_session *session, tern_peer newcomer)
{
    const Attempt attempt(session);
    return attempt.result(admit(inside(session), PeerId{newcomer}), TERN_GONE);
}

tern_result tern_refuse(tern_session *session, tern_peer newcomer, const char *reason)
{
    const Attempt attempt(session);
    return attempt.result(refuse(inside(session), PeerId{newcomer}, reason), TERN_GONE);
}

tern_result tern_remove(tern_session *session, tern_peer peer)
{
    const Attempt attempt(session);
    return attempt.result(remove(inside(session), PeerId{peer}), TERN_GONE);
}

tern_result tern_migrate(tern_session *session, tern_object object, tern_peer to)
{
    const Attempt attempt(session);
    return attempt.result(migrate(inside(session), ObjectId{object}, PeerId{to}), TERN_GONE);
}

tern_result tern_refuse_claim(tern_session *session, tern_object object, tern_peer claimer)
{
    const Attempt attempt(session);
    return attempt.result(refuse_claim(inside(session), ObjectId{object}, PeerId{claimer}),
                          TERN_GONE);
}

tern_result tern_balance(tern_session *session, tern_type_id type)
{
    const Attempt attempt(session);
    return attempt.result(balance(inside(session), type), TERN_GONE);
}
