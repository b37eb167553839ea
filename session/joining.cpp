#include "session/joining.h"
#include "session/former.h"
#include "session/join_messages.h"
#include "session/journal.h"
#include "session/membership.h"
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

static constexpr uint64_t hint_after_us = 2'000'000; // An answer takes a few round trips.

static uint64_t join_deadline_us(const Session &s)
{
    return s.now_us + uint64_t{s.config.join_timeout_ms} * 1000;
}

// The member that we asked is not the host. It has named the host, or nobody if there is none now.
// A peer that joins itself knows of none either, so another one is asked after a while. A peer that
// joins again has its time anew: the session is there, only the path to the host is not.
static void follow_redirect(Session &s, ConnectionIndex index, std::span<const char> named)
{
    Target target;
    if (!read_target(named, target)) {
        s.connections.links[index].ask_us = s.now_us + ask_interval_us;
        if (s.joining.target_count == 1 ||
            s.now_us - s.connections.links[index].since_us < ask_one_us)
            return;
        s.joining.next_try_us = s.now_us;
        return end_link(s, index, CloseReason::left);
    }
    if (s.joining.returns) s.deadline_us = join_deadline_us(s);
    s.joining.redirect_target = target;
    s.joining.has_redirect_target = true;
    s.joining.next_try_us = std::max(s.now_us, s.joining.redirected_us + ask_interval_us);
    s.joining.redirected_us = s.now_us;
    end_link(s, index, CloseReason::left);
}

static void explain_refusal(Session &s, const Refused &refused)
{
    const auto length = static_cast<int>(std::min(refused.text.size(), reason_bytes_max - 1));
    switch (refused.refusal) {
    case JoinRefusal::full: return fail(s, State::refused_full);
    case JoinRefusal::by_game:
        fail(s, State::refused_by_game);
        std::snprintf(s.text, sizeof s.text, "The host refused: %.*s", length, refused.text.data());
        return;
    case JoinRefusal::limits:
        fail(s, State::refused_types);
        std::snprintf(s.text, sizeof s.text, "The host has other limits: %.*s.", length,
                      refused.text.data());
        return;
    case JoinRefusal::types: {
        char ours[description_bytes_max];
        const size_t size = type_table::describe(s.types, ours);
        char difference[384];
        type_table::first_difference(std::span(ours, size), refused.text, difference);
        fail(s, State::refused_types);
        std::snprintf(s.text, sizeof s.text, "The host has another type table: %s", difference);
        return;
    }
    case JoinRefusal::not_host:
    case JoinRefusal::none: break;
    }
}

void receive_from_join_target(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    if (!message.empty() && message[0] == static_cast<std::byte>(JoinMessage::refused)) {
        const Refused refused = read_refused(message);
        if (refused.ok && refused.refusal == JoinRefusal::not_host)
            follow_redirect(s, index, refused.text);
        else if (refused.ok)
            explain_refusal(s, refused);
        return;
    }
    if (is_join(message)) { // It joins too, and both have asked each other at the same moment.
        s.joining.next_try_us = s.now_us;
        return end_link(s, index, CloseReason::left);
    }
    const Verdict verdict = replica::welcome(*s.replica, s.invite.session, s.secrets.signing_secret,
                                             own_identity(s), message);
    if (verdict != Verdict::ok) return; // Perhaps sent to our former self.
    const PeerId host = replica::host(*s.replica);
    const MemberSlot slot = replica::find_member(*s.replica, host);
    if (std::memcmp(s.replica->members[slot].identity.key, endpoint::key(*s.endpoint, index), 32) !=
        0)
        return fail(s, State::unreachable); // Only the host itself may welcome us.
    bind(s, index, host);
    peer_link(s, index).received_messages = 1;
    if (s.records.journal) note_received(s, index, host, verdict, message);
}

static void try_address(Session &s)
{
    const bool redirected = s.joining.has_redirect_target;
    const Target target = redirected
                              ? s.joining.redirect_target
                              : s.joining.targets[s.joining.target_index % s.joining.target_count];
    const ConnectionIndex index =
        endpoint::connect(*s.endpoint, target.key, target.address, s.now_us);
    if (index == no_connection) return;
    if (!redirected) s.joining.target_index += 1;
    s.joining.has_redirect_target = false;
    begin_link(s, index, PeerRole::join_target);
    s.connections.links[index].redirected = redirected;
    s.joining.next_try_us = UINT64_MAX;
}

static PeerId missing_sync(const Replica &r)
{
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && !member.synced)
            return member.id;
    return PeerId::none;
}

static void ask(Session &s, ConnectionIndex index)
{
    PeerLink &p = s.connections.links[index];
    if (p.has_asked && (p.ask_us == 0 || s.now_us < p.ask_us)) return;
    const HandshakeState handshake = endpoint::handshake_state(*s.endpoint, index);
    const uint64_t join_us = uint64_t{s.config.join_timeout_ms} * 1000;
    if (handshake == HandshakeState::connecting && (s.joining.target_count > 1 || p.redirected) &&
        s.now_us - p.since_us >= join_us / (s.joining.target_count + 1 + p.redirected)) {
        end_link(s, index, CloseReason::none); // Try the next address.
        s.joining.next_try_us = s.now_us;
    }
    if (handshake != HandshakeState::open) return;
    const std::span<std::byte> buffer(s.connections.message_buffer, stream_message_bytes_max);
    p.ask_us = 0;
    p.has_asked = queue_join_message(s, index, write_join(s, buffer));
}

// Says what the game or the network does not do. Null: datagrams go out and come in.
static const char *missing_traffic(const Session &s)
{
    if (s.accounts.handed_out_bits == 0)
        return "Nothing was sent: call send() after each receive(), and send what it gives.";
    if (endpoint::received_datagrams(*s.endpoint) == 0)
        return "No datagram has arrived. Is the host of this invite running at its addresses, does "
               "its game send what send() gives, and does this one give receive() what its socket "
               "receives?";
    return nullptr;
}

// Says in the text of the state why joining takes long, while it does.
static void explain_waiting(Session &s)
{
    const uint64_t begun_us = s.deadline_us - uint64_t{s.config.join_timeout_ms} * 1000;
    if (s.joining.returns) return;
    const bool is_long = s.now_us - begun_us >= hint_after_us;
    const char *missing = is_long ? missing_traffic(s) : nullptr;
    std::snprintf(s.text, sizeof s.text, "Joining.%s%s", missing ? " " : "",
                  missing ? missing : "");
}

static void give_up_joining(Session &s)
{
    const PeerId missing = missing_sync(*s.replica);
    const char *missing_datagrams = missing_traffic(s);
    fail(s, State::unreachable);
    if (missing_datagrams)
        std::snprintf(s.text, sizeof s.text, "%s", missing_datagrams);
    else if (missing != PeerId::none)
        std::snprintf(
            s.text, sizeof s.text,
            "Joining took longer than join_timeout_ms: peer %u has not sent us its objects. Is "
            "there a path to it?",
            static_cast<unsigned>(missing));
    else if (s.joining.started_over)
        std::snprintf(s.text, sizeof s.text,
                      "The host was lost while we joined, and no other member has taken us in.");
}

void update_joining(Session &s)
{
    if (s.deadline_us == 0) {
        s.deadline_us = join_deadline_us(s);
        s.joining.next_try_us = s.now_us;
    }
    if (s.replica->phase == Phase::outside && s.now_us >= s.joining.next_try_us) try_address(s);
    for (ConnectionIndex i = 0; i < s.connections.count; ++i)
        if (s.connections.links[i].role == PeerRole::join_target) ask(s, i);
    if (s.now_us >= s.deadline_us && s.replica->phase != Phase::in) return give_up_joining(s);
    explain_waiting(s);
}

void report_progress(Session &s)
{
    const Replica &r = *s.replica;
    if (r.phase != Phase::joining || r.objects_expected == 0) return;
    const uint32_t here = std::min(r.world.alive, r.objects_expected);
    const auto percent = static_cast<uint32_t>(uint64_t{100} * here / r.objects_expected);
    if (percent <= s.joining.progress_percent || s.events.count == s.events.max) return;
    s.joining.progress_percent = percent;
    Event event = {};
    event.kind = EventKind::join_progress;
    event.progress = {.objects_here = here, .objects_expected = r.objects_expected};
    push_event(s, event);
}

static void add_target(Session &s, const Target &target)
{
    if (s.joining.target_count < targets_max && target.address.port != 0)
        s.joining.targets[s.joining.target_count++] = target;
}

static void target_members(Session &s, bool refuse)
{
    for (const PeerId peer : other_members(s)) {
        const MemberSlot slot = replica::find_member(*s.replica, peer);
        const Identity &identity = s.replica->members[slot].identity;
        const bool refuses =
            s.connections.outages[slot].id == peer && s.connections.outages[slot].disowned;
        if (refuses != refuse) continue;
        Target target = {{}, identity.address};
        std::memcpy(target.key, identity.key, sizeof target.key);
        add_target(s, target);
    }
}

// Makes all other members that we know the peers to ask, in ascending order of their ids. First
// come the host to which we yield, and those that have refused us: they are in the session. With
// Quorum::survivors former members may be in one too.
static void target_members(Session &s)
{
    s.joining.target_count = s.joining.target_index = 0;
    if (s.former.yields) add_target(s, s.former.met);
    target_members(s, true);
    target_members(s, false);
    for (uint32_t i = 0; i < std::min(s.former.count, former_max); ++i)
        if (s.config.quorum == Quorum::survivors && !s.former.members[i].said_goodbye)
            add_target(s, s.former.members[i].target);
}

// The peers to ask next are noted, as the replica that names them will be cleared.
static void leave_members(Session &s, CloseReason reason)
{
    Event event = {};
    event.kind = EventKind::host_lost;
    event.peer = s.replica->view_host;
    if (s.events.count < s.events.max) push_event(s, event);
    target_members(s);
    end_all_links(s, reason);
}

static void forget(Session &s)
{
    replica::clear(*s.replica);
    place_replica(s);
    renew_incarnation(s);
    for (MemberSlot slot = 0; slot < s.config.peers_max; ++slot) {
        s.connections.reconnect_us[slot] = 0;
        s.watch.deadlines[slot] = {};
        s.connections.outages[slot] = {};
    }
    s.watch.suspect = {};
    s.joining.joins_again = s.watch.host_is_cut_off = false;
    s.watch.few_us = s.watch.few_since_us = s.watch.enough_since_us = 0;
    forget_former_ids(s);
    s.former.has_met = s.former.yields = false;
    s.joining.has_redirect_target = false;
    s.joining.next_try_us = s.now_us;
    s.joining.progress_percent = 0;
    s.joining.started_over = true;
    if (s.joining.target_count > 0) return;
    fail(s, State::unreachable);
    std::snprintf(s.text, sizeof s.text,
                  "The host was lost while we joined, and we know of no other member.");
}

// Drops everything that was received so far: the world sync was incomplete, and those that would
// have to send the rest may be gone.
void start_over(Session &s)
{
    leave_members(s, CloseReason::left);
    forget(s);
}

// With Quorum::survivors that is no goodbye, because those that have left are not sought. And if
// this host yields, its members join again too: it names the other host to them.
void join_again(Session &s)
{
    enter_state(s, State::joining, "Joining again: others have gone on without this peer.");
    const bool is_sought = s.config.quorum == Quorum::survivors;
    leave_members(s, is_sought ? CloseReason::refused : CloseReason::left);
    s.joining.forgets = true;
}

void forget_former_world(Session &s)
{
    if (!s.joining.forgets) return;
    s.joining.forgets = false;
    if (s.state != State::joining) return; // The game has called leave().
    s.deadline_us = 0;
    s.clock.rtt_us = 0;
    s.joining.returns = true;
    forget(s);
}

}

}

using namespace tern;

// Whether one can join with these arguments.
static bool is_joinable(const misuse::Entry &entry, const Invite *invite, const void *payload,
                        size_t payload_bytes)
{
    if (payload_bytes > payload_bytes_max)
        return misuse::report(entry, "Send the rest in a call, after caught_up.",
                              "The payload has %zu bytes, and at most %zu may be sent.",
                              payload_bytes, payload_bytes_max);
    if (!misuse::is_given(entry, "payload", payload, payload_bytes)) return false;
    const uint32_t addresses = invite ? invite->address_count : 0u;
    if (addresses == 0 || addresses > invite_addresses_max)
        return misuse::report(
            entry, "Check the error of parse_invite(), and show it to the player.",
            "The invite has %u addresses: it was not read from a valid text.", addresses);
    return true;
}

tern_result tern_join(tern_session *session, const tern_invite *with, const void *payload,
                      size_t payload_bytes)
{
    const misuse::Entry entry = misuse::change(session, "join");
    if (!entry || !misuse::is_idle(entry)) return TERN_MISUSE;
    if (!is_joinable(entry, to_cpp(with), payload, payload_bytes)) return TERN_MISUSE;
    const Invite &invite = *to_cpp(with);
    Session &s = *session;
    Record line = session::about(RecordKind::join, ObjectId::none);
    line.invite = invite;
    line.bytes = {static_cast<const std::byte *>(payload), payload_bytes};
    session::record(s, line);
    s.invite = invite;
    std::copy(line.bytes.begin(), line.bytes.end(), s.joining.payload_memory);
    s.joining.payload = {s.joining.payload_memory, payload_bytes};
    s.deadline_us = 0;
    s.joining.target_count = invite.address_count;
    for (uint32_t i = 0; i < s.joining.target_count; ++i) {
        std::memcpy(s.joining.targets[i].key, invite.key, sizeof s.joining.targets[i].key);
        s.joining.targets[i].address = invite.addresses[i];
    }
    endpoint::enter(*s.endpoint, invite.session, invite.secret);
    session::enter_state(s, State::joining, "Joining.");
    session::log_state(s);
    return TERN_OK;
}
