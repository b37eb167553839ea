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

// text: by_game: the reason. types: the host's description of its table.
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

// --- The host ---

static void answer_refused(Session &s, ConnectionIndex index, JoinRefusal refusal,
                           std::span<const char> text)
{
    const std::span<std::byte> buffer(s.message_buffer, stream_message_bytes_max);
    connection::queue_message(endpoint::at(*s.endpoint, index), StreamId::world,
                              write_refused(refusal, text, buffer));
    // The connection stays until it has read that and gone, or stranger_time_us is over.
    s.paths[index].has_asked = true;
    s.paths[index].peer = PeerId::none;
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

// Why it may not even ask the game. none: it may.
static JoinRefusal reason_against(const Session &s, const Join &join)
{
    if (replica::host(*s.replica) != s.replica->self || s.state != State::open)
        return JoinRefusal::not_host;
    if (join.types_digest != type_table::digest(s.types)) return JoinRefusal::types;
    if (join.peers_max != s.config.peers_max) return JoinRefusal::limits;
    return replica::room_for_member(*s.replica) ? JoinRefusal::none : JoinRefusal::full;
}

static void refuse_join(Session &s, ConnectionIndex index, JoinRefusal refusal)
{
    char text[description_bytes_max];
    size_t size = 0;
    if (refusal == JoinRefusal::types) size = type_table::describe(s.types, text);
    if (refusal == JoinRefusal::limits)
        size = static_cast<size_t>(
            std::snprintf(text, sizeof text, "its peers_max is %u", s.config.peers_max));
    answer_refused(s, index, refusal, std::span(text, size));
}

static void keep_join(Session &s, ConnectionIndex index, const Join &join)
{
    Path &from = path(s, index);
    std::memcpy(from.identity.key, endpoint::key(*s.endpoint, index), 32);
    std::memcpy(from.identity.signing_key, join.signing_key, 32);
    std::memcpy(from.identity.name, join.name, name_bytes_max);
    from.identity.address = connection::address(endpoint::at(*s.endpoint, index));
    from.payload_bytes = join.payload_bytes;
    std::memcpy(from.payload, join.payload, join.payload_bytes);
    from.peer = replica::next_peer_id(*s.replica);
}

bool asks_again(const Session &s, PeerId member, std::span<const std::byte> message)
{
    const MemberSlot slot = replica::find_member(*s.replica, member);
    Join join;
    return slot != no_member && !s.replica->members[slot].caught_up && read_join(message, join);
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
        refuse_join(s, index, refusal);
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

static void explain_refusal(Session &s, const Refused &refused)
{
    const auto length = static_cast<int>(std::min(refused.text.size(), reason_bytes_max - 1));
    switch (refused.refusal) {
    case JoinRefusal::full: return fail(s, State::refused_full);
    case JoinRefusal::not_host: return fail(s, State::unreachable);
    case JoinRefusal::by_game:
        fail(s, State::refused_by_game);
        std::snprintf(s.text, sizeof s.text, "The host refused: %.*s", length, refused.text.data());
        return;
    case JoinRefusal::limits:
        fail(s, State::refused_types);
        std::snprintf(s.text, sizeof s.text, "The host has other limits: %.*s, here it is %u.",
                      length, refused.text.data(), s.config.peers_max);
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
        if (refused.ok) explain_refusal(s, refused);
        return;
    }
    const Verdict verdict =
        replica::welcome(*s.replica, s.invite.session, s.signing_secret, own_identity(s), message);
    Path &from = path(s, index);
    if (verdict != Verdict::ok) {
        from.bad_messages += 1;
        return;
    }
    const PeerId host = replica::host(*s.replica);
    const MemberSlot slot = replica::find_member(*s.replica, host);
    if (std::memcmp(s.replica->members[slot].identity.key, s.invite.key, 32) != 0)
        return fail(s, State::unreachable); // It speaks for somebody else.
    bind(s, index, host);
    from.heard_messages = 1;
    if (s.journal) note_heard(s, index, host, verdict, message);
}

static void try_address(Session &s)
{
    const uint8_t count = s.invite.address_count;
    const Address &address = s.invite.addresses[s.address_index % count];
    s.address_index = static_cast<uint8_t>((s.address_index + 1) % count);
    const ConnectionIndex index = endpoint::connect(*s.endpoint, s.invite.key, address, s.now_us);
    if (index == no_connection) return;
    s.paths[index] = {};
    s.paths[index].tie = Tie::asking;
    s.paths[index].since_us = s.now_us;
    s.next_try_us = UINT64_MAX;
}

static PeerId missing_greeter(const Replica &r)
{
    for (const Member &member : r.members.all())
        if (member.id != PeerId::none && member.id != r.self && !member.fenced && !member.greeted)
            return member.id;
    return PeerId::none;
}

void update_joining(Session &s)
{
    if (s.deadline_us == 0) {
        s.deadline_us = s.now_us + uint64_t{s.config.join_timeout_ms} * 1000;
        s.next_try_us = s.now_us;
    }
    if (s.replica->phase == Phase::outside && s.now_us >= s.next_try_us) try_address(s);
    for (ConnectionIndex i = 0; i < s.path_count; ++i) {
        Path &p = s.paths[i];
        if (p.tie != Tie::asking || p.has_asked) continue;
        const Contact contact = endpoint::contact(*s.endpoint, i);
        const uint64_t share_us =
            uint64_t{s.config.join_timeout_ms} * 1000 / (s.invite.address_count + 1u);
        if (contact == Contact::connecting && s.invite.address_count > 1 &&
            s.now_us - p.since_us >= share_us) {
            end_path(s, i, CloseReason::none); // The next address has its turn.
            s.next_try_us = s.now_us;
        }
        if (contact != Contact::open) continue;
        const std::span<std::byte> buffer(s.message_buffer, stream_message_bytes_max);
        p.has_asked = connection::queue_message(endpoint::at(*s.endpoint, i), StreamId::world,
                                                write_join(s, buffer));
    }
    if (s.now_us < s.deadline_us || s.replica->phase == Phase::in) return;
    const PeerId missing = missing_greeter(*s.replica);
    fail(s, State::unreachable);
    if (missing != PeerId::none)
        std::snprintf(s.text, sizeof s.text,
                      "Joining took longer than join_timeout_ms: peer %u has not greeted us. Is "
                      "there a path to it?",
                      static_cast<unsigned>(missing));
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
    s.started_us = s.now_us;
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
    endpoint::enter(*s.endpoint, invite.session, invite.secret);
    session::enter_state(s, State::joining, "Joining.");
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
