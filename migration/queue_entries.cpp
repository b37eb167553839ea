#include "migration/queue_entries.h"

namespace tern::queue_entries {

static QueueEntry &at(Replica &r, MemberSlot member, uint32_t entry)
{
    return r.entries[size_t{member} * (control_count + r.world.slots.count) + entry];
}

static const QueueEntry &at(const Replica &r, MemberSlot member, uint32_t entry)
{
    return r.entries[size_t{member} * (control_count + r.world.slots.count) + entry];
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
    return at(r, member, entry).waiting;
}

static void link_behind(Replica &r, MemberSlot member, uint32_t entry, uint32_t previous)
{
    const uint32_t next = at(r, member, previous).next;
    at(r, member, entry).previous = previous;
    at(r, member, entry).next = next;
    at(r, member, previous).next = entry;
    at(r, member, next).previous = entry;
}

static void unlink(Replica &r, MemberSlot member, uint32_t entry)
{
    QueueEntry &e = at(r, member, entry);
    at(r, member, e.previous).next = e.next;
    at(r, member, e.next).previous = e.previous;
    e.previous = e.next = 0;
}

void append(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits)
{
    QueueEntry &e = at(r, member, entry);
    if (e.waiting == 0) link_behind(r, member, entry, at(r, member, 0).previous);
    e.waiting |= bits;
}

void prepend(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits, uint32_t behind)
{
    QueueEntry &e = at(r, member, entry);
    if (e.waiting != 0) unlink(r, member, entry);
    link_behind(r, member, entry, behind);
    e.waiting |= bits;
}

void remove(Replica &r, MemberSlot member, uint32_t entry, uint8_t bits)
{
    QueueEntry &e = at(r, member, entry);
    if (e.waiting == 0) return;
    e.waiting = static_cast<uint8_t>(e.waiting & ~bits);
    if (e.waiting == 0) unlink(r, member, entry);
}

}
