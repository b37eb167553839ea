#include "session/membership.h"
#include "session/former.h"
#include "session/misuse.h"
#include "session/peer_links.h"
#include "session/recording/recording.h"
#include "session/session.h"
#include "tern/diagnostics.hpp"
#include "tern/limits.hpp"
#include "transport/little_endian.h"
#include <algorithm>
#include <cstring>
#include <sodium.h>

namespace tern {
namespace session {

Identity own_identity(const Session &s)
{
    Identity identity = {};
    std::memcpy(identity.key, s.secrets.keys.public_key, 32);
    std::memcpy(identity.signing_key, s.secrets.signing_public, 32);
    std::memcpy(identity.name, s.name, name_bytes_max);
    return identity;
}

void renew_incarnation(Session &s)
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    endpoint::draw(*s.endpoint, seed);
    crypto_sign_seed_keypair(s.secrets.signing_public, s.secrets.signing_secret, seed);
    sodium_memzero(seed, sizeof seed);
    endpoint::set_incarnation(*s.endpoint, incarnation_of(s.secrets.signing_public));
}

uint32_t incarnation_of(const uint8_t (&signing_key)[32])
{
    const auto *bytes = reinterpret_cast<const std::byte *>(signing_key);
    return std::max(little_endian::load32(bytes), 1u);
}

const char *member_name(const Session &s, PeerId peer)
{
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    return slot == no_member ? former_name(s, peer) : s.replica->members[slot].identity.name;
}

// --- Breaches ---

void charge(Session &s, ConnectionIndex index, Breach breach)
{
    if (s.connections.links[index].role != PeerRole::member) return;
    const PeerId peer = s.connections.links[index].peer;
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (slot == no_member || s.replica->members[slot].fenced) return;
    if (s.watch.breaches[slot].id != peer) s.watch.breaches[slot] = {peer, {}};
    s.watch.breaches[slot].counts[static_cast<size_t>(breach)] += 1;
    replica::accuse(*s.replica, peer, breach);
    s.connections.members_rest_until_us = 0;
}

void charge(Session &s, ConnectionIndex index, Verdict verdict)
{
    if (verdict == Verdict::malformed) charge(s, index, Breach::malformed);
    if (verdict == Verdict::forged) charge(s, index, Breach::forged);
    if (verdict == Verdict::over_quota) charge(s, index, Breach::over_quota);
}

void ban(Session &s, MemberSlot slot)
{
    std::memcpy(s.former.banned[s.former.banned_count % banned_max],
                s.replica->members[slot].identity.key, 32);
    s.former.banned_count += 1;
}

static void ban_and_give_up(Session &s, MemberSlot slot)
{
    ban(s, slot);
    replica::give_up(*s.replica, s.replica->members[slot].id);
}

void remove_guilty(Session &s)
{
    const Replica &r = *s.replica;
    if (s.config.misbehaviour != Misbehaviour::remove || s.state == State::cut_off) return;
    if (replica::host(r) != r.self) return;
    for (MemberSlot slot = 0; slot < r.members.count; ++slot) {
        const bool goes = r.members[slot].fenced || r.outbox.queues[slot].removing;
        if (!goes && replica::is_guilty(r, slot)) ban_and_give_up(s, slot);
    }
}

}

}

using namespace tern;

tern_result tern_start(tern_session *session)
{
    const misuse::Entry entry = misuse::change(session, "start");
    if (!entry || !misuse::is_idle(entry)) return TERN_MISUSE;
    Session &s = *session;
    session::record(s, session::about(RecordKind::start, ObjectId::none));
    endpoint::enter(*s.endpoint, s.invite.session, s.invite.secret);
    replica::start(*s.replica, s.invite.session, s.secrets.signing_secret,
                   session::own_identity(s));
    s.clock.offset_us = -static_cast<int64_t>(s.now_us);
    session::enter_state(s, State::open, "The session is open.");
    session::log_state(s);
    return TERN_OK;
}

void session::begin_another(Session &s)
{
    uint8_t id[sizeof s.invite.session];
    endpoint::draw(*s.endpoint, id);
    s.invite.session = little_endian::load64(std::as_bytes(std::span(id)).data());
    endpoint::draw(*s.endpoint, s.invite.secret);
    endpoint::enter(*s.endpoint, s.invite.session, s.invite.secret);
    end_all_links(s, CloseReason::cut_off);
    replica::go_on(*s.replica, s.invite.session);
    s.watch.few_us = s.watch.few_since_us = s.watch.enough_since_us = 0;
    enter_state(s, State::open, "The session is open.");
}

tern_result tern_go_on(tern_session *session)
{
    const misuse::Entry entry = misuse::change(session, "go_on");
    if (!entry) return TERN_MISUSE;
    Session &s = *session;
    if (s.state != State::cut_off) {
        misuse::report(entry, "Call it only while session_state() is cut_off.",
                       "The session is not cut off: %s", s.text);
        return TERN_MISUSE;
    }
    session::record(s, session::about(RecordKind::go_on, ObjectId::none));
    session::begin_another(s);
    session::log_state(s);
    return TERN_OK;
}

tern_result tern_remove(tern_session *session, tern_peer removed)
{
    const misuse::Entry entry = misuse::change(session, "remove");
    if (!entry || !misuse::is_host(entry)) return TERN_MISUSE;
    Session &s = *session;
    const PeerId peer{removed};
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (s.state == State::cut_off) return TERN_CUT_OFF;
    session::record(s, session::about(RecordKind::remove, ObjectId::none, peer));
    if (slot == no_member || peer == s.replica->self) return TERN_GONE;
    session::wake_all(s);
    session::ban_and_give_up(s, slot);
    return TERN_OK;
}

// --- Peers ---

std::span<const PeerId> session::other_members(const Session &s)
{
    const Replica &r = *s.replica;
    uint16_t count = 0;
    for (const uint16_t slot : r.order.all())
        if (!r.members[slot].fenced && r.members[slot].id != r.self)
            s.others.ids[count++] = r.members[slot].id;
    return {s.others.ids, count};
}

tern_peer tern_local_peer(const tern_session *session)
{
    if (!misuse::Entry(session, "local_peer")) return TERN_NO_PEER;
    return static_cast<tern_peer>(session->replica->self);
}

tern_peer tern_host_peer(const tern_session *session)
{
    if (!misuse::Entry(session, "host_peer")) return TERN_NO_PEER;
    return static_cast<tern_peer>(replica::host(*session->replica));
}

size_t tern_other_peers(const tern_session *session, const tern_peer **peers)
{
    if (peers) *peers = nullptr;
    if (!misuse::Entry(session, "other_peers")) return 0;
    const std::span<const PeerId> others = session::other_members(*session);
    if (peers) *peers = to_c(others.data());
    return others.size();
}

const char *tern_peer_name(const tern_session *session, tern_peer peer)
{
    if (!misuse::Entry(session, "peer_name")) return "";
    return session::member_name(*session, PeerId{peer});
}
