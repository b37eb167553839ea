#include "migration/queue_entries.h"

namespace tern::queue_entries {

static QueueEntry &at(Replica &r, MemberSlot member, uint32_t entry)
{
    return r.outbox.entries[size_t{member} * (control_count + r.world.slots.count) + entry];
}

static const QueueEntry &at(const Replica &r, MemberSlot member, uint32_t entry)
{
    return r.outbox.entries[size_t{member} * (control_count + r.world.slots.count) + entry];
}

static void set_next(QueueEntry &e, uint32_t next)
{
    e.next = next & (queue_entries_max - 1);
}

static void set_waiting(QueueEntry &e, uint8_t bits)
{
    e.waiting = bits & 15u;
}

uint32_t first(const Replica &r, MemberSlot member)
{
    return at(r, member, 0).next;
}

uint32_t next(const Replica &r, MemberSlot member, uint32_t entry)
{
    return at(r, member, entry).next;
}

uint8_t waiting(const Replica &r, MemberSlot member, uint32_t entry)
{
    return static_cast<uint8_t>(at(r, member, entry).waiting);
}

static void link_behind(Replica &r, MemberSlot member, uint32_t entry, uint32_t previous)
{
    const uint32_t next = at(r, member, previous).next;
    at(r, member, entry).previous = previous;
    set_next(at(r, member, entry), next);
    set_next(at(r, member, previous), entry);
    at(r, member, next).previous = entry;
}

static void unlink(Replica &r, MemberSlot member, uint32_t entry)
{
    QueueEntry &e = at(r, member, entry);
    set_next(at(r, member, e.previous), e.next);
    at(r, member, e.next).previous = e.previous;
    e.previous = 0;
    set_next(e, 0);
}

void append(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits)
{
    QueueEntry &e = at(r, member, entry);
    if (e.waiting == 0) link_behind(r, member, entry, at(r, member, 0).previous);
    set_waiting(e, static_cast<uint8_t>(waiting(r, member, entry) | bits));
}

void prepend(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits, uint32_t behind)
{
    QueueEntry &e = at(r, member, entry);
    if (e.waiting != 0) unlink(r, member, entry);
    link_behind(r, member, entry, behind);
    set_waiting(e, static_cast<uint8_t>(waiting(r, member, entry) | bits));
}

void remove(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits)
{
    QueueEntry &e = at(r, member, entry);
    if (e.waiting == 0) return;
    set_waiting(e, static_cast<uint8_t>(waiting(r, member, entry) & ~bits));
    if (e.waiting == 0) unlink(r, member, entry);
}

}
