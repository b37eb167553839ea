#include "rpc/call_rules.h"
#include "tern/calls.hpp"

namespace tern::session {

// Calls pile up while their connection stalls or loses packets, so this many seconds' worth of them
// may arrive at once. docs/use/calls.md, "Who may call, and how often".
static constexpr uint32_t calls_at_once_seconds = 10;

static constexpr Judged delivers = {Judgement::deliver, Outcome::taken};
static constexpr Judged waits = {Judgement::wait, Outcome::taken};

static Judged refuses(Outcome outcome)
{
    return {Judgement::refuse, outcome};
}

// Compares the tenure that the call names with what we know. The sender knows that tenure, so if we
// do not know it yet, it is on its way to us.
static Judged judge_tenure(const Session &s, ObjectId object, PeerId owner, Stamp stamp,
                           Outcome otherwise)
{
    const World &world = s.replica->world;
    if (dead::contains(world.dead, object)) return refuses(Outcome::dead);
    const ObjectSlot slot = world::find_alive(world, object);
    if (slot == no_slot || world.slots[slot].stamp < stamp) return waits;
    const bool is_it = world.slots[slot].stamp == stamp && world.slots[slot].owner == owner;
    return is_it ? delivers : refuses(otherwise);
}

static Judged judge_caller(const Session &s, PeerId caller, const ReceivedCall &call)
{
    switch (s.config.types[call.head.type].callers) {
    case Callers::anybody: break;
    case Callers::host:
        if (caller == replica::host(*s.replica)) break;
        // The successor becomes host only after our report to it, so it may call as the host
        // before its view reaches us.
        return caller == replica::successor(*s.replica) ? waits : refuses(Outcome::not_allowed);
    case Callers::owner:
        return judge_tenure(s, calls::own_object(s.types, call.head.type, call.arguments), caller,
                            call.head.own_stamp, Outcome::not_allowed);
    }
    return delivers;
}

static Judged judge_callee(const Session &s, PeerId callee, const ReceivedCall &call)
{
    if (call.head.kind == CallKind::owner_call)
        return judge_tenure(s, call.head.object, callee, call.head.stamp, Outcome::moved);
    if (call.head.kind == CallKind::host_call && callee != replica::host(*s.replica))
        return replica::successor(*s.replica) == callee ? waits : refuses(Outcome::moved);
    return delivers;
}

CallHead head_of(const Session &s, CallKind kind, TypeId type, const void *arguments)
{
    CallHead head = {};
    head.kind = kind;
    head.type = type;
    head.is_asked = kind == CallKind::request;
    if (s.config.types[type].callers != Callers::owner || kind == CallKind::reply) return head;
    const ObjectId own = calls::own_object(s.types, type, arguments);
    head.own_stamp = s.replica->world.slots[world::find_alive(s.replica->world, own)].stamp;
    return head;
}

bool take_rate(Session &s, PeerId caller, TypeId type, uint32_t burst_seconds)
{
    const uint32_t per_second = s.config.types[type].calls_per_second_max;
    if (per_second == 0) return true;
    const MemberSlot slot = replica::find_member(*s.replica, caller);
    if (slot == no_member) return false;
    CallRate &rate = s.calls.rates[slot * s.types.types.size() + type];
    if (rate.caller != caller)
        rate = {caller, allowance::make(per_second, per_second * burst_seconds)};
    return allowance::take(rate.allowance, s.now_us);
}

Judged judge(Session &s, PeerId caller, PeerId callee, const ReceivedCall &call,
             Reliability reliability)
{
    const bool has_judge = s.config.topology == Topology::star && !replica::relays(*s.replica);
    Judged judged = delivers;
    if (!has_judge) judged = judge_caller(s, caller, call);
    if (judged.judgement == Judgement::deliver && callee != PeerId::everyone)
        judged = judge_callee(s, callee, call);
    const bool reliable = reliability == Reliability::reliable;
    if (judged.judgement == Judgement::wait && !reliable) judged = refuses(Outcome::not_allowed);
    if (judged.judgement != Judgement::deliver || has_judge) return judged;
    if (take_rate(s, caller, call.head.type, calls_at_once_seconds)) return judged;
    return refuses(Outcome::not_allowed);
}

bool may_call(Session &s, TypeId type, const void *arguments)
{
    const Callers callers = s.config.types[type].callers;
    bool may = callers != Callers::host || replica::host(*s.replica) == s.replica->self;
    if (callers == Callers::owner) {
        const ObjectId object = calls::own_object(s.types, type, arguments);
        const ObjectSlot slot = world::find_alive(s.replica->world, object);
        may = slot != no_slot && s.replica->world.slots[slot].owner == s.replica->self;
    }
    may = may && take_rate(s, s.replica->self, type, 1);
    s.calls.refused_count += !may;
    return may;
}

}
