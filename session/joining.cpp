// Joining: the newcomer's question and the host's answer, up to the WELCOME that the replica takes.
// Formats: docs/wire_format.md, "Joining".
#include "session/session.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tern {
namespace session {

// --- The messages: write and read side by side ---

struct Join {
    uint64_t types_digest;
    uint16_t peers_max;
    uint8_t quorum, topology;
    uint8_t signing_key[32];
    char name[name_bytes_max];
    uint16_t payload_bytes;
    std::byte payload[payload_bytes_max];
};

static std::span<const std::byte> write_join(const Session &s, std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(JoinMessage::join), 8);
    bits::write(w, type_table::digest(s.types), 64);
    bits::write(w, s.config.peers_max, 16);
    bits::write(w, static_cast<uint64_t>(s.config.quorum), 8);
    bits::write(w, static_cast<uint64_t>(s.config.topology), 8);
    bits::write_bytes(w, std::as_bytes(std::span(s.signing_public)));
    const size_t name_bytes = strnlen(s.name, name_bytes_max - 1);
    bits::write(w, name_bytes, 8);
    bits::write_bytes(w, std::as_bytes(std::span(s.name, name_bytes)));
    bits::write(w, s.payload.bytes.size(), 16);
    bits::write_bytes(w, s.payload.bytes);
    return buffer.first(bits::size_bytes(w));
}

static bool read_join(std::span<const std::byte> message, Join &join)
{
    join = {};
    BitReader r = bits::reader(message);
    if (bits::read(r, 8) != static_cast<uint64_t>(JoinMessage::join)) return false;
    join.types_digest = bits::read(r, 64);
    join.peers_max = static_cast<uint16_t>(bits::read(r, 16));
    join.quorum = static_cast<uint8_t>(bits::read(r, 8));
    join.topology = static_cast<uint8_t>(bits::read(r, 8));
    bits::read_bytes(r, std::as_writable_bytes(std::span(join.signing_key)));
    const uint64_t name_bytes = bits::read(r, 8);
    if (name_bytes >= name_bytes_max) return false;
    bits::read_bytes(r, std::as_writable_bytes(std::span(join.name, name_bytes)));
    if (strnlen(join.name, name_bytes) != name_bytes) return false;
    join.payload_bytes = static_cast<uint16_t>(bits::read(r, 16));
    if (join.payload_bytes > payload_bytes_max) return false;
    bits::read_bytes(r, std::span(join.payload, join.payload_bytes));
    return bits::complete(r);
}

bool is_join(std::span<const std::byte> message)
{
    Join join;
    return read_join(message, join);
}

// text: by_game: the reason. types: the host's description of its table. limits: what differs.
// not_host: the host's key and address, or nothing.
static std::span<const std::byte> write_refused(JoinRefusal refusal, std::span<const char> text,
                                                std::span<std::byte> buffer)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(JoinMessage::refused), 8);
    bits::write(w, static_cast<uint64_t>(refusal), 8);
    bits::write_bytes(w, std::as_bytes(text));
    return buffer.first(bits::size_bytes(w));
}

struct Refused {
    bool ok;
    JoinRefusal refusal;
    std::span<const char> text;
};

static Refused read_refused(std::span<const std::byte> message)
{
    if (message.size() < 2) return {};
    const auto refusal = std::to_integer<uint8_t>(message[1]);
    if (refusal == 0 || refusal > static_cast<uint8_t>(JoinRefusal::limits)) return {};
    const std::span<const std::byte> text = message.subspan(2);
    return {true,
            static_cast<JoinRefusal>(refusal),
            {reinterpret_cast<const char *>(text.data()), text.size()}};
}

static constexpr size_t target_bytes = 32 + 16 + 2;

static size_t write_target(const Target &target, std::span<char> buffer)
{
    BitWriter w = bits::writer(std::as_writable_bytes(buffer.first(target_bytes)));
    bits::write_bytes(w, std::as_bytes(std::span(target.key)));
    bits::write_bytes(w, std::as_bytes(std::span(target.address.ip)));
    bits::write(w, target.address.port, 16);
    return bits::size_bytes(w);
}

// False: it names nobody.
static bool read_target(std::span<const char> text, Target &target)
{
    BitReader r = bits::reader(std::as_bytes(text));
    bits::read_bytes(r, std::as_writable_bytes(std::span(target.key)));
    bits::read_bytes(r, std::as_writable_bytes(std::span(target.address.ip)));
    target.address.port = static_cast<uint16_t>(bits::read(r, 16));
    return bits::complete(r) && target.address.port != 0;
}

// --- The host, and members that are not ---

static void answer_refused(Session &s, ConnectionIndex index, JoinRefusal refusal,
                           std::span<const char> text)
{
    const std::span<std::byte> buffer(s.message_buffer, stream_message_bytes_max);
    queue_join_message(s, index, write_refused(refusal, text, buffer));
    // The connection stays until it has read that and gone, or stranger_time_us is over.
    Path &p = s.paths[index];
    p.has_asked = true;
    p.may_ask_again = refusal == JoinRefusal::not_host;
    s.refused_full += refusal == JoinRefusal::full;
    s.refused_types += refusal == JoinRefusal::types || refusal == JoinRefusal::limits;
    if (p.may_ask_again) p.since_us = s.now_us;
    p.peer = PeerId::none;
}

static bool is_banned(const Session &s, const uint8_t *key)
{
    const uint32_t count = std::min(s.banned_count, banned_max);
    for (uint32_t i = 0; i < count; ++i)
        if (std::memcmp(s.banned[i], key, 32) == 0) return true;
    return false;
}

static void take_in(Session &s, ConnectionIndex index, PeerId id)
{
    if (!replica::room_for_member(*s.replica))
        return answer_refused(s, index, JoinRefusal::full, {});
    replica::admit(*s.replica, id, s.paths[index].identity);
    bind(s, index, id); // From here on it is a member, also if it goes in the same tick.
}

static void ask_game(Session &s, Path &from)
{
    Event event = {};
    event.kind = EventKind::join_asked;
    event.peer = from.peer;
    event.name = from.identity.name;
    event.arguments = from.payload;
    event.argument_bytes = from.payload_bytes;
    push_event(s, event);
}

// The place of somebody who has gone is free when that departure has ended.
static bool place_comes_free(const Replica &r)
{
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.fenced) return true;
    return false;
}

// Why it may not even ask the game. none: it may.
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

// Whom a newcomer is to ask instead of us. none: us again, in a while.
static PeerId who_takes_in(const Session &s)
{
    const Replica &r = *s.replica;
    const PeerId host = replica::host(r);
    if (host != r.self) return host;
    if (s.state == State::open) return PeerId::none;
    PeerId next = PeerId::none; // We leave.
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && member.votes &&
            (next == PeerId::none || member.id < next))
            next = member.id;
    return next;
}

static size_t describe_host(const Session &s, std::span<char> text)
{
    const PeerId peer = bridge_or_self(s, who_takes_in(s)); // Who bridges can tell where it is.
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    if (slot == no_member) return 0;
    const Identity &identity = s.replica->members[slot].identity;
    Target target = {};
    std::memcpy(target.key, identity.key, sizeof target.key);
    const ConnectionIndex index = path_to(s, peer);
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

static void keep_join(Session &s, ConnectionIndex index, const Join &join)
{
    Path &from = path(s, index);
    std::memcpy(from.identity.key, endpoint::key(*s.endpoint, index), 32);
    std::memcpy(from.identity.signing_key, join.signing_key, 32);
    std::memcpy(from.identity.name, join.name, name_bytes_max);
    from.identity.address = direct_address(s, index);
    from.payload_bytes = join.payload_bytes;
    std::memcpy(from.payload, join.payload, join.payload_bytes);
    from.peer = replica::next_peer_id(*s.replica);
}

bool receive_join_of_member(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    Path &from = path(s, index);
    const MemberSlot slot = replica::find_member(*s.replica, from.peer);
    if (slot == no_member || s.replica->members[slot].caught_up || !is_join(message)) return false;
    if (!from.welcomed) return true; // It crossed our welcome.
    replica::peer_gone(*s.replica, from.peer);
    if (replica::is_member(*s.replica, from.peer)) replica::rewind(*s.replica, from.peer);
    from = {};
    from.tie = Tie::stranger;
    from.since_us = s.now_us;
    return receive_from_stranger(s, index, message);
}

bool receive_from_stranger(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    Path &from = path(s, index);
    Join join;
    if (!read_join(message, join)) {
        // To the host nothing else can be said; another may be greeted before its view names us.
        if (replica::host(*s.replica) != s.replica->self) return false;
        from.bad_messages += 1;
        end_path(s, index, CloseReason::protocol_error);
        return true;
    }
    from.has_asked = true;
    const JoinRefusal refusal = reason_against(s, join);
    if (is_banned(s, endpoint::key(*s.endpoint, index))) {
        const char reason[] = "this peer was removed from the session";
        answer_refused(s, index, JoinRefusal::by_game, std::span(reason, sizeof reason - 1));
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

// --- The newcomer ---

// Who is not the host has said who is, or that nobody is at present.
static void turn(Session &s, ConnectionIndex index, std::span<const char> named)
{
    Target target;
    if (!read_target(named, target)) {
        s.paths[index].ask_us = s.now_us + ask_interval_us;
        return;
    }
    s.turned = target;
    s.has_turned = true;
    s.next_try_us = std::max(s.now_us, s.turned_us + ask_interval_us);
    s.turned_us = s.now_us;
    end_path(s, index, CloseReason::left);
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

static Identity own_identity(const Session &s)
{
    Identity identity = {};
    std::memcpy(identity.key, s.keys.public_key, 32);
    std::memcpy(identity.signing_key, s.signing_public, 32);
    std::memcpy(identity.name, s.name, name_bytes_max);
    return identity;
}

void receive_from_asked(Session &s, ConnectionIndex index, std::span<const std::byte> message)
{
    if (!message.empty() && message[0] == static_cast<std::byte>(JoinMessage::refused)) {
        const Refused refused = read_refused(message);
        if (refused.ok && refused.refusal == JoinRefusal::not_host)
            turn(s, index, refused.text);
        else if (refused.ok)
            explain_refusal(s, refused);
        return;
    }
    const Verdict verdict =
        replica::welcome(*s.replica, s.invite.session, s.signing_secret, own_identity(s), message);
    Path &from = path(s, index);
    if (verdict != Verdict::ok) {
        from.bad_messages += s.started_over ? 0 : 1; // Said to whom we were before.
        return;
    }
    const PeerId host = replica::host(*s.replica);
    const MemberSlot slot = replica::find_member(*s.replica, host);
    if (std::memcmp(s.replica->members[slot].identity.key, endpoint::key(*s.endpoint, index), 32) !=
        0)
        return fail(s, State::unreachable); // It speaks for somebody else.
    bind(s, index, host);
    from.heard_messages = 1;
    if (s.journal) note_heard(s, index, host, verdict, message);
}

static void try_address(Session &s)
{
    const bool turned = s.has_turned;
    const Target target = turned ? s.turned : s.targets[s.target_index % s.target_count];
    const ConnectionIndex index =
        endpoint::connect(*s.endpoint, target.key, target.address, s.now_us);
    if (index == no_connection) return;
    if (!turned) s.target_index += 1;
    s.has_turned = false;
    s.paths[index] = {};
    s.paths[index].tie = Tie::asking;
    s.paths[index].since_us = s.now_us;
    s.paths[index].turned = turned;
    s.next_try_us = UINT64_MAX;
}

static PeerId missing_greeter(const Replica &r)
{
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && !member.greeted)
            return member.id;
    return PeerId::none;
}

static void ask(Session &s, ConnectionIndex index)
{
    Path &p = s.paths[index];
    if (p.has_asked && (p.ask_us == 0 || s.now_us < p.ask_us)) return;
    const Contact contact = endpoint::contact(*s.endpoint, index);
    const uint64_t join_us = uint64_t{s.config.join_timeout_ms} * 1000;
    if (contact == Contact::connecting && (s.target_count > 1 || p.turned) &&
        s.now_us - p.since_us >= join_us / (s.target_count + 1 + p.turned)) {
        end_path(s, index, CloseReason::none); // The next address has its turn.
        s.next_try_us = s.now_us;
    }
    if (contact != Contact::open) return;
    const std::span<std::byte> buffer(s.message_buffer, stream_message_bytes_max);
    p.ask_us = 0;
    p.has_asked = queue_join_message(s, index, write_join(s, buffer));
}

static void give_up_joining(Session &s)
{
    const PeerId missing = missing_greeter(*s.replica);
    fail(s, State::unreachable);
    if (missing != PeerId::none)
        std::snprintf(s.text, sizeof s.text,
                      "Joining took longer than join_timeout_ms: peer %u has not greeted us. Is "
                      "there a path to it?",
                      static_cast<unsigned>(missing));
    else if (s.started_over)
        std::snprintf(s.text, sizeof s.text,
                      "The host was lost while we joined, and no other member has taken us in.");
}

void update_joining(Session &s)
{
    if (s.deadline_us == 0) {
        s.deadline_us = s.now_us + uint64_t{s.config.join_timeout_ms} * 1000;
        s.next_try_us = s.now_us;
    }
    if (s.replica->phase == Phase::outside && s.now_us >= s.next_try_us) try_address(s);
    for (ConnectionIndex i = 0; i < s.path_count; ++i)
        if (s.paths[i].tie == Tie::asking) ask(s, i);
    if (s.now_us >= s.deadline_us && s.replica->phase != Phase::in) give_up_joining(s);
}

void tell_progress(Session &s)
{
    const Replica &r = *s.replica;
    if (r.phase != Phase::joining || r.objects_expected == 0) return;
    const uint32_t here = std::min(r.world.alive, r.objects_expected);
    const auto percent = static_cast<uint32_t>(uint64_t{100} * here / r.objects_expected);
    if (percent <= s.progress_percent || s.event_count == s.events_max) return;
    s.progress_percent = percent;
    Event event = {};
    event.kind = EventKind::join_progress;
    event.objects_here = here;
    event.objects_expected = r.objects_expected;
    push_event(s, event);
}

// Whom else we know of the session, lowest first.
static void target_members(Session &s)
{
    s.target_count = s.target_index = 0;
    for (const PeerId peer : peers(&s)) {
        const Identity &identity =
            s.replica->members[replica::find_member(*s.replica, peer)].identity;
        if (identity.address.port == 0) continue;
        if (s.target_count == targets_max) return;
        Target &target = s.targets[s.target_count];
        std::memcpy(target.key, identity.key, sizeof target.key);
        target.address = identity.address;
        s.target_count += 1;
    }
}

// Nothing of what was heard holds: there may be nobody who says it again.
void start_over(Session &s)
{
    Event event = {};
    event.kind = EventKind::host_lost;
    event.peer = s.replica->view_host;
    if (s.event_count < s.events_max) push_event(s, event);
    target_members(s);
    end_all_paths(s, CloseReason::left);
    replica::clear(*s.replica);
    place_replica(s);
    for (MemberSlot slot = 0; slot < s.config.peers_max; ++slot) {
        s.reconnect_us[slot] = 0;
        s.patience[slot] = {};
        s.absences[slot] = {};
    }
    s.suspect = {};
    s.has_turned = false;
    s.next_try_us = s.now_us;
    s.progress_percent = 0;
    s.started_over = true;
    if (s.target_count > 0) return;
    fail(s, State::unreachable);
    std::snprintf(s.text, sizeof s.text,
                  "The host was lost while we joined, and we know of no other member.");
}

}

// --- The public functions ---

void start(Session *session)
{
    Session &s = *session;
    TERN_ASSERT(s.state == State::idle, "state %u", static_cast<unsigned>(s.state));
    session::record(s, session::about(RecordKind::start, ObjectId::none));
    endpoint::enter(*s.endpoint, s.invite.session, s.invite.secret);
    replica::start(*s.replica, s.invite.session, s.signing_secret, session::own_identity(s));
    s.clock_offset_us = -static_cast<int64_t>(s.now_us);
    session::enter_state(s, State::open, "The session is open.");
}

void join(Session *session, const Invite &invite, JoinPayload payload)
{
    Session &s = *session;
    TERN_ASSERT(s.state == State::idle, "state %u", static_cast<unsigned>(s.state));
    TERN_ASSERT(payload.bytes.size() <= payload_bytes_max, "%zu bytes", payload.bytes.size());
    TERN_ASSERT(invite.address_count >= 1 && invite.address_count <= invite_addresses_max,
                "%u addresses", invite.address_count);
    Record line = session::about(RecordKind::join, ObjectId::none);
    line.invite = invite;
    line.bytes = payload.bytes;
    session::record(s, line);
    s.invite = invite;
    std::copy(payload.bytes.begin(), payload.bytes.end(), s.payload_memory);
    s.payload.bytes = {s.payload_memory, payload.bytes.size()};
    s.deadline_us = 0;
    s.target_count = invite.address_count;
    for (uint32_t i = 0; i < s.target_count; ++i) {
        std::memcpy(s.targets[i].key, invite.key, sizeof s.targets[i].key);
        s.targets[i].address = invite.addresses[i];
    }
    endpoint::enter(*s.endpoint, invite.session, invite.secret);
    session::enter_state(s, State::joining, "Joining.");
}

void go_on(Session *session)
{
    Session &s = *session;
    TERN_ASSERT(s.state == State::minority, "state %u", static_cast<unsigned>(s.state));
    session::record(s, session::about(RecordKind::go_on, ObjectId::none));
    uint8_t id[sizeof s.invite.session];
    endpoint::draw(*s.endpoint, id);
    std::memcpy(&s.invite.session, id, sizeof id);
    endpoint::draw(*s.endpoint, s.invite.secret);
    endpoint::enter(*s.endpoint, s.invite.session, s.invite.secret);
    replica::go_on(*s.replica, s.invite.session);
    session::enter_state(s, State::open, "The session is open.");
}

static ConnectionIndex find_asking(Session &s, PeerId newcomer)
{
    for (ConnectionIndex i = 0; i < s.path_count; ++i)
        if (s.paths[i].tie == Tie::stranger && s.paths[i].has_asked && s.paths[i].peer == newcomer)
            return i;
    return no_connection;
}

void admit(Session *session, PeerId newcomer)
{
    session::record(*session, session::about(RecordKind::admit, ObjectId::none, newcomer));
    const ConnectionIndex index = find_asking(*session, newcomer);
    if (index != no_connection) session::take_in(*session, index, newcomer);
}

void refuse(Session *session, PeerId newcomer, const char *reason)
{
    const std::span<const char> text(reason, strnlen(reason, reason_bytes_max - 1));
    Record line = session::about(RecordKind::refuse, ObjectId::none, newcomer);
    line.bytes = std::as_bytes(text);
    session::record(*session, line);
    const ConnectionIndex index = find_asking(*session, newcomer);
    if (index != no_connection)
        session::answer_refused(*session, index, JoinRefusal::by_game, text);
}

void remove(Session *session, PeerId peer)
{
    Session &s = *session;
    const MemberSlot slot = replica::find_member(*s.replica, peer);
    TERN_ASSERT(replica::host(*s.replica) == s.replica->self, "only the host removes");
    session::record(s, session::about(RecordKind::remove, ObjectId::none, peer));
    if (slot == no_member || peer == s.replica->self) return;
    std::memcpy(s.banned[s.banned_count % banned_max], s.replica->members[slot].identity.key, 32);
    s.banned_count += 1;
    replica::give_up(*s.replica, peer);
}

}
