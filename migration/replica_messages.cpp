// The streams of messages: in, out, and described for inspectors.
#include "migration/breaches.h"
#include "migration/departures.h"
#include "migration/grants.h"
#include "migration/leases.h"
#include "migration/message_queue.h"
#include "migration/messages.h"
#include "migration/objects.h"
#include "migration/relay.h"
#include "migration/replica.h"
#include "migration/views.h"
#include "migration/work.h"

namespace tern::replica {

// --- In ---

// In a star, messages about objects come from the leader, or to it. Another member that sends us
// some takes us for the leader. Either we will be, or that member will be removed; until then its
// messages wait.
static bool waits(const Replica &r, PeerId from, MessageKind kind)
{
    if (exchanges_objects_with(r, from)) return false;
    return kind == MessageKind::create || kind == MessageKind::migrate ||
           kind == MessageKind::destroy || kind == MessageKind::dead;
}

static Verdict receive_as(Replica &r, MemberSlot member, MessageKind kind, BitReader reader)
{
    const PeerId from = r.members[member].id;
    if (waits(r, from, kind)) return Verdict::later;
    switch (kind) {
    case MessageKind::view: return views::receive_view(r, from, reader);
    case MessageKind::create: return replica_objects::receive_create(r, from, reader);
    case MessageKind::migrate: return replica_objects::receive_migrate(r, from, reader);
    case MessageKind::destroy: return replica_objects::receive_destroy(r, from, reader);
    case MessageKind::dead: return replica_objects::receive_dead(r, member, reader);
    case MessageKind::synced: return views::receive_synced(r, member, reader);
    case MessageKind::caught_up: return views::receive_caught_up(r, member, reader);
    case MessageKind::claim: return replica_objects::receive_claim(r, from, reader);
    case MessageKind::release:
    case MessageKind::lock:
    case MessageKind::unlock: return replica_objects::receive_owner_request(r, from, kind, reader);
    case MessageKind::claim_refused: return replica_objects::receive_claim_refused(r, from, reader);
    case MessageKind::grant: return grants::receive_grant(r, from, reader);
    case MessageKind::query: return departures::receive_query(r, member, reader);
    case MessageKind::report_object: return departures::receive_report_object(r, member, reader);
    case MessageKind::report: return departures::receive_report(r, member, reader);
    case MessageKind::dead_wanted: return departures::receive_dead_wanted(r, from, reader);
    case MessageKind::relay: return relay::receive(r, from, reader);
    case MessageKind::lease: return leases::receive(r, member, reader);
    case MessageKind::accuse: return breaches::receive_accuse(r, member, reader);
    case MessageKind::equivocation: return breaches::receive_equivocation(r, reader);
    case MessageKind::welcome: return Verdict::ignored; // It comes again over a new connection.
    case MessageKind::none: break;
    }
    return Verdict::malformed;
}

Verdict receive(Replica &r, PeerId from, std::span<const std::byte> message)
{
    const MemberSlot member = find_member(r, from);
    if (member == no_member || r.fault != Fault::none) return Verdict::ignored;
    if (r.members[member].fenced) return Verdict::ignored;
    work::message(r, message.size());
    BitReader reader = bits::reader(message);
    const MessageKind kind = messages::read_kind(reader);
    return receive_as(r, member, kind, reader);
}

// --- Out ---

bool has_message(const Replica &r, PeerId to)
{
    const MemberSlot member = find_member(r, to);
    return member != no_member && message_queue::has_message(r, member);
}

uint32_t queued_count(const Replica &r, PeerId to)
{
    const MemberSlot member = find_member(r, to);
    return member == no_member ? 0 : message_queue::count(r, member);
}

size_t next_message(Replica &r, PeerId to, std::span<std::byte> buffer)
{
    const MemberSlot member = find_member(r, to);
    TERN_ASSERT(member != no_member, "peer %u", static_cast<unsigned>(to));
    return message_queue::pull(r, member, buffer);
}

void messages_acked(Replica &r, PeerId to, uint32_t count)
{
    const MemberSlot member = find_member(r, to);
    if (member != no_member) message_queue::acked(r, member, count);
}

void rewind(Replica &r, PeerId to)
{
    const MemberSlot member = find_member(r, to);
    if (member == no_member) return;
    message_queue::rewind(r, member);
    publish::lose_all({r.publisher, r.world, *r.types, member});
}

bool all_acked(const Replica &r, PeerId to)
{
    const MemberSlot member = find_member(r, to);
    if (member == no_member) return true;
    return message_queue::is_empty(r, member) && !publish::has_due(r.publisher, r.world, member) &&
           r.publisher.rings[member].packet_count == 0 &&
           !bounds::any_suppressed(r.publisher.bounds);
}

// --- Descriptions ---

const char *name(MessageKind kind)
{
    switch (kind) {
    case MessageKind::none: break;
    case MessageKind::welcome: return "WELCOME";
    case MessageKind::view: return "VIEW";
    case MessageKind::create: return "CREATE";
    case MessageKind::migrate: return "MIGRATE";
    case MessageKind::destroy: return "DESTROY";
    case MessageKind::dead: return "DEAD";
    case MessageKind::synced: return "SYNCED";
    case MessageKind::caught_up: return "CAUGHT_UP";
    case MessageKind::claim: return "CLAIM";
    case MessageKind::release: return "RELEASE";
    case MessageKind::lock: return "LOCK";
    case MessageKind::unlock: return "UNLOCK";
    case MessageKind::claim_refused: return "CLAIM_REFUSED";
    case MessageKind::grant: return "GRANT";
    case MessageKind::query: return "QUERY";
    case MessageKind::report_object: return "REPORT_OBJECT";
    case MessageKind::report: return "REPORT";
    case MessageKind::dead_wanted: return "DEAD_WANTED";
    case MessageKind::relay: return "RELAY";
    case MessageKind::lease: return "LEASE";
    case MessageKind::accuse: return "ACCUSE";
    case MessageKind::equivocation: return "EQUIVOCATION";
    }
    return "of no kind";
}

static void list_present(BitReader &r, const Grant &grant, Described &described)
{
    described.stamp = grant.stamp;
    const uint64_t present = bits::read(r, grant.object_count);
    for (uint16_t i = 0; i < grant.object_count; ++i)
        if ((present >> i & 1) != 0) described.objects[described.object_count++] = grant.objects[i];
}

// Lists the first of the destroyed objects.
static void list_dead(BitReader &r, Described &described)
{
    while (bits::read_bool(r)) {
        const DeadRange range = messages::read_range(r);
        for (uint64_t id = range.first;
             id <= range.last && described.object_count < grant_objects_max; ++id)
            described.objects[described.object_count++] = static_cast<ObjectId>(id);
    }
}

static void read_objects(BitReader &r, PeerId from, Described &described)
{
    Grant grant = {};
    switch (described.kind) {
    case MessageKind::create: {
        const uint64_t serial = bits::read_varint(r);
        if (serial == 0 || serial > UINT32_MAX) return bits::fail(r);
        described.objects[0] = object_id::make(from, static_cast<uint32_t>(serial));
        described.object_count = 1;
        return;
    }
    case MessageKind::migrate:
    case MessageKind::grant:
        messages::read_grant(r, grant);
        return list_present(r, grant, described);
    case MessageKind::destroy:
        described.objects[0] = messages::read_object_id(r);
        described.object_count = 1;
        messages::read_grant(r, grant);
        described.stamp = grant.stamp;
        return;
    case MessageKind::dead: return list_dead(r, described);
    case MessageKind::report_object: bits::read(r, 32); break; // The token.
    case MessageKind::claim:
    case MessageKind::release:
    case MessageKind::lock:
    case MessageKind::unlock:
    case MessageKind::claim_refused:
    case MessageKind::relay: break;
    default: return;
    }
    described.objects[0] = messages::read_object_id(r);
    described.object_count = 1;
    const bool stamped =
        described.kind == MessageKind::report_object || described.kind == MessageKind::relay;
    if (stamped) described.stamp = messages::read_stamp(r);
}

Described describe(PeerId from, std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    Described described = {};
    described.kind = messages::read_kind(reader);
    read_objects(reader, from, described);
    return bits::failed(reader) ? Described{} : described;
}

uint32_t answered_query(std::span<const std::byte> message)
{
    BitReader reader = bits::reader(message);
    if (messages::read_kind(reader) != MessageKind::report) return 0;
    const auto token = static_cast<uint32_t>(bits::read(reader, 32));
    return bits::failed(reader) ? 0 : token;
}

}
