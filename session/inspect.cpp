#include "session/inspect.h"
#include "session/former.h"
#include "session/optimistic.h"
#include "session/peer_links.h"
#include "session/session.h"

namespace tern::inspect {

bool is_in(const Session *session)
{
    return session::is_in(*session);
}

bool seeks(const Session *session, const Session *other, const Address &address)
{
    const FormerMember *former = session::find_former(*session, other->keys.public_key);
    return former && !former->said_goodbye && former->target.address == address;
}

bool lie(Session *session, PeerId to, StreamId stream, std::span<const std::byte> message)
{
    const ConnectionIndex index = session::link_to(*session, to);
    if (index == no_connection) return false;
    Connection &c = endpoint::at(*session->endpoint, index);
    if (!connection::queue_message(c, stream, message)) return false;
    charges::add(session->charges, TrafficKind::membership,
                 static_cast<int64_t>(message.size() * 8), 1);
    session::wake(*session, index);
    return true;
}

const Replica &replica(const Session *session)
{
    return *session->replica;
}

const void *replicated(const Session *session, ObjectId object)
{
    return session::replicated(*session, world::find(session->replica->world, object));
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

void limit_call_events(Session *session, uint32_t calls)
{
    const uint32_t to_come = 2 * session->replica->events.capacity;
    session->events_spared = session->events_max - to_come - calls - 1;
}

void listen(Session *session, Journal *journal)
{
    session->journal = journal;
}

}
