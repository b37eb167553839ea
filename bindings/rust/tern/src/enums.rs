//! Enumerations that tern gives, and those that settings take.

use crate::error::static_text;
use std::borrow::Cow;
use std::fmt;
use tern_sys as sys;

// An enumeration whose numbers come from the library, with the function that gives its text.
macro_rules! given {
    ($(#[$about:meta])* $name:ident by $text:ident {
        $($(#[$what:meta])* $variant:ident = $number:ident,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$what])* $variant,)*
            /// The library is newer than this crate.
            Other(i32),
        }

        impl $name {
            pub(crate) fn from_c(number: i32) -> Self {
                match number {
                    $(sys::$number => Self::$variant,)*
                    other => Self::Other(other),
                }
            }

            /// A text of tern for people.
            pub fn text(self) -> Cow<'static, str> {
                let number = match self {
                    $(Self::$variant => sys::$number,)*
                    Self::Other(_) => return Cow::Borrowed("unknown"),
                };
                // SAFETY: The number is one of the enumeration, and the texts are constants.
                unsafe { static_text(sys::$text(number)) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.text())
            }
        }
    };
}

given! {
    /// The state says what a session is doing. `Session::state_text()` explains it.
    State by tern_state_name {
        /// It is made, and neither started nor joining.
        Idle = TERN_STATE_IDLE,
        /// It lasts from `join()` until the objects of all are here.
        Joining = TERN_STATE_JOINING,
        Open = TERN_STATE_OPEN,
        /// Too few members are heard to go on: the game may read and call, and change nothing.
        CutOff = TERN_STATE_CUT_OFF,
        /// The goodbye is on its way. Keep calling `receive()` and `send()`.
        Leaving = TERN_STATE_LEAVING,
        Left = TERN_STATE_LEFT,
        /// No answer came within `join_timeout_ms`, or not all objects.
        Unreachable = TERN_STATE_UNREACHABLE,
        RefusedFull = TERN_STATE_REFUSED_FULL,
        /// The host has another type table, `peers_max`, quorum or topology.
        RefusedTypes = TERN_STATE_REFUSED_TYPES,
        RefusedVersion = TERN_STATE_REFUSED_VERSION,
        RefusedSecret = TERN_STATE_REFUSED_SECRET,
        RefusedByGame = TERN_STATE_REFUSED_BY_GAME,
        /// The host has removed this peer from the session.
        Removed = TERN_STATE_REMOVED,
        Overflow = TERN_STATE_OVERFLOW,
    }
}

impl State {
    /// Whether `receive()` and `send()` must go on: the session is at work or may be again.
    pub fn is_running(self) -> bool {
        matches!(self, Self::Joining | Self::Open | Self::CutOff | Self::Leaving)
    }
}

given! {
    /// A member has broken the rules in this way. No honest peer does.
    Breach by tern_breach_text {
        None = TERN_BREACH_NONE,
        Malformed = TERN_BREACH_MALFORMED,
        Forged = TERN_BREACH_FORGED,
        OverQuota = TERN_BREACH_OVER_QUOTA,
        Equivocated = TERN_BREACH_EQUIVOCATED,
    }
}

given! {
    /// Why the host refused a claim.
    ClaimRefusal by tern_claim_refusal_text {
        None = TERN_REFUSAL_NONE,
        /// The object was destroyed.
        Dead = TERN_REFUSAL_DEAD,
        /// The host does not know the object yet; claim it again later.
        Unknown = TERN_REFUSAL_UNKNOWN,
        /// The type has `ClaimPolicy::Never`.
        Policy = TERN_REFUSAL_POLICY,
        /// The host's game called `refuse_claim()`.
        ByGame = TERN_REFUSAL_BY_GAME,
        /// Another claim came first; claim again.
        Overtaken = TERN_REFUSAL_OVERTAKEN,
        /// The owner has locked the object.
        Locked = TERN_REFUSAL_LOCKED,
        /// The type has `claim_cooldown_ms`; claim again later.
        Cooldown = TERN_REFUSAL_COOLDOWN,
        /// The type has `owned_max` or `claims_per_second_max`.
        Quota = TERN_REFUSAL_QUOTA,
    }
}

given! {
    /// Why a call failed.
    CallFailure by tern_call_failure_text {
        None = TERN_FAILURE_NONE,
        /// The object was destroyed.
        Dead = TERN_FAILURE_DEAD,
        /// This peer did not get to know the object within 2 s.
        Unknown = TERN_FAILURE_UNKNOWN,
        /// The type has `callers` or `calls_per_second_max`.
        NotAllowed = TERN_FAILURE_NOT_ALLOWED,
        /// The recipient was lost. It may have got the call.
        Lost = TERN_FAILURE_LOST,
        /// No reply came within the timeout. The recipient may have got the call.
        NoReply = TERN_FAILURE_NO_REPLY,
    }
}

// An enumeration that a setting takes. Its first variant is the default, which is 0 in C.
macro_rules! taken {
    ($(#[$about:meta])* $name:ident {
        $(#[$first_what:meta])* $first:ident = $zero:ident,
        $($(#[$what:meta])* $variant:ident = $number:ident,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(i32)]
        pub enum $name {
            #[default]
            $(#[$first_what])* $first = sys::$zero,
            $($(#[$what])* $variant = sys::$number,)*
        }
    };
}

taken! {
    /// Which peers have connections.
    Topology {
        /// Every peer has one to every other one.
        Mesh = TERN_MESH,
        /// Client-server: every peer has one to the host, which forwards all.
        Star = TERN_STAR,
    }
}

taken! {
    /// Which members go on when others are lost without a goodbye.
    Quorum {
        Majority = TERN_QUORUM_MAJORITY,
        Survivors = TERN_QUORUM_SURVIVORS,
    }
}

taken! {
    /// The host treats a newcomer that holds an invite in this way.
    Admission {
        Always = TERN_ADMIT_ALWAYS,
        /// The newcomer waits for `admit()` or `refuse()`.
        AskGame = TERN_ADMIT_ASK_GAME,
    }
}

taken! {
    /// The host treats a member that has broken the rules in this way.
    Misbehaviour {
        Remove = TERN_MISBEHAVIOUR_REMOVE,
        AskGame = TERN_MISBEHAVIOUR_ASK_GAME,
    }
}

taken! {
    /// This happens to an object whose owner has left.
    Orphan {
        ToHost = TERN_ORPHAN_TO_HOST,
        Destroy = TERN_ORPHAN_DESTROY,
        /// The member with the fewest objects gets it.
        Spread = TERN_ORPHAN_SPREAD,
        /// The host gets it, and its game `Event::ObjectOrphaned`.
        AskGame = TERN_ORPHAN_ASK_GAME,
        /// The host gets it, and gives it back if the last owner joins again.
        Hold = TERN_ORPHAN_HOLD,
    }
}

taken! {
    /// The host answers claims in this way.
    ClaimPolicy {
        Always = TERN_CLAIM_POLICY_ALWAYS,
        /// The game answers: it gets `Event::ClaimAsked`.
        AskGame = TERN_CLAIM_POLICY_ASK_GAME,
        Never = TERN_CLAIM_POLICY_NEVER,
    }
}

taken! {
    /// These peers may make the calls of a type.
    Callers {
        Anybody = TERN_CALLERS_ANYBODY,
        Host = TERN_CALLERS_HOST,
        /// The owner of the object in the first field of kind object.
        Owner = TERN_CALLERS_OWNER,
    }
}

taken! {
    /// A claimer acts in this way until the answer arrives.
    ClaimMode {
        Wait = TERN_CLAIM_WAIT,
        /// It changes the object at once, visible on its own peer only.
        Optimistic = TERN_CLAIM_OPTIMISTIC,
    }
}

taken! {
    Reliability {
        Reliable = TERN_RELIABLE,
        Unreliable = TERN_UNRELIABLE,
    }
}
