// Decides which calls are allowed: the rules of Type::callers, the owner or host that a call is
// for, and the rate limits. Checked where a call is made, and again where it arrives.
#pragma once
#include "session/session_types.h"
#include "tern/calls.hpp"

namespace tern::session {

enum class Judgement : uint8_t {
    deliver, // Deliver it.
    wait,  // Try again in the next tick: the call names a tenure or a host that we do not know yet.
    refuse // For the reason in Judged::outcome.
};
struct Judged {
    Judgement judgement;
    Outcome outcome;
};
// Whether a call that has arrived may be delivered. An unreliable one never waits. Takes one call
// from the caller's rate if it may be, so call this once for each delivery. In a star only the host
// checks callers and rates; the other members trust it.
Judged judge(Session &s, PeerId caller, PeerId callee, const ReceivedCall &call,
             Reliability reliability);
// Whether our own game may make this call now. Takes one call from our rate; a refusal is counted
// in SessionStats::refused_calls.
bool may_call(Session &s, TypeId type, const void *arguments);
// Takes one call of this type from the caller's rate. burst_seconds: how many seconds' worth of
// calls_per_second_max may come at once. False: the rate is used up, or the caller is no member.
bool take_rate(Session &s, PeerId caller, TypeId type, uint32_t burst_seconds);

// The head of a call that we make, with the stamp that Callers::owner requires. may_call() must
// have allowed the call.
CallHead head_of(const Session &s, CallKind kind, TypeId type, const void *arguments);

}
