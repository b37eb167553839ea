#include "session/inspect.h"
#include "session/former.h"
#include "session/optimistic.h"
#include "session/peer_links.h"
#include "session/session.h"
#include <algorithm>

namespace tern::inspect {

bool is_in(const Session *session)
{
    return session::is_in(*session);
}

bool seeks(const Session *session, const Session *other, const Address &address)
{
    const FormerMember *former = session::find_former(*session, other->secrets.keys.public_key);
    return former && !former->said_goodbye && former->target.address == address;
}

bool lie(Session *session, PeerId to, StreamId stream, std::span<const std::byte> message)
{
    const ConnectionIndex index = session::link_to(*session, to);
    if (index == no_connection) return false;
    Connection &c = endpoint::at(*session->endpoint, index);
    if (!connection::queue_message(c, stream, message)) return false;
    charges::add(session->accounts.charges, TrafficKind::membership,
                 static_cast<int64_t>(message.size() * 8), 1);
    session::wake(*session, index);
    return true;
}

Datagram seal(Session *session, PeerId to, std::span<const std::byte> frames,
              std::span<std::byte> buffer)
{
    Session &s = *session;
    const ConnectionIndex index = session::link_to(s, to);
    if (index == no_connection) return {};
    Connection &c = endpoint::at(*s.endpoint, index);
    if (!connection::has_budget(c, s.now_us)) return {};
    Packet packet = connection::begin_packet(c, buffer, 0, s.now_us);
    if (frames.size() < connection::unreliable_room(packet).size()) {
        std::copy(frames.begin(), frames.end(), packet.datagram.data() + packet.size_bytes);
        packet.size_bytes += frames.size();
        charges::add(s.accounts.charges, TrafficKind::membership,
                     static_cast<int64_t>(frames.size() * 8), 1);
    }
    const std::span<const std::byte> bytes = connection::finish_packet(c, packet, s.now_us);
    s.accounts.handed_out_bits += static_cast<int64_t>(bytes.size() * 8);
    return {connection::address(c), bytes};
}

const Replica &replica(const Session *session)
{
    return *session->replica;
}

const void *replicated(const Session *session, ObjectId object)
{
    const World &world = session->replica->world;
    return world::value(world, session->types, world::find(world, object));
}

bool is_optimistic(const Session *session, ObjectId object)
{
    const ObjectSlot slot = world::find(session->replica->world, object);
    return slot != no_slot && session::is_optimistic(*session, slot);
}

bool in_doubt(const Session *session, PeerId peer)
{
    const ConnectionIndex index = session::link_to(*session, peer);
    return index != no_connection &&
           connection::in_doubt(endpoint::at(*session->endpoint, index), session->now_us);
}

std::span<Type> types(Session *session)
{
    const std::span<const Type> types = session->config.types; // They lie in the session's block.
    return {const_cast<Type *>(types.data()), types.size()};
}

void limit_call_events(Session *session, uint32_t calls)
{
    const uint32_t to_come = 2 * session->replica->log.events.capacity;
    session->events.spared = session->events.max - to_come - calls - 1;
}

void listen(Session *session, Journal *journal)
{
    session->records.journal = journal;
}

}
