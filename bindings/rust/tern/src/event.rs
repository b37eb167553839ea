//! Events tell what happened since the last tick.

use crate::enums::{Breach, CallFailure, ClaimRefusal};
use crate::error::copied_text;
use crate::ids::{CallId, ObjectId, PeerId};
use crate::list::List;
use crate::net::slice;
use crate::session::Session;
use crate::types::Type;
use tern_sys as sys;

/// An event of the last `Session::receive()`. Kinds that this crate does not know are left out.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// It comes while joining, once for each percent at most.
    JoinProgress {
        objects_here: u32,
        objects_expected: u32,
    },
    /// After `join()`: the state is open.
    CaughtUp,
    /// The game answers with `admit()` or `refuse()`.
    JoinAsked(Newcomer<'a>),
    PeerJoined(Newcomer<'a>),
    PeerLeft(PeerId),
    /// `reporter`: `PeerId::NONE` if this peer has found it.
    Misbehaved {
        peer: PeerId,
        reporter: PeerId,
        breach: Breach,
    },
    /// The host is lost, and `HostChanged` follows. If the state is joining: discard all earlier
    /// events, because this peer joins again, as a new one.
    HostLost(PeerId),
    HostChanged {
        peer: PeerId,
        previous: PeerId,
    },
    /// What this peer does itself causes no event.
    ObjectCreated(ObjectChange),
    ObjectChanged(ObjectChange),
    ObjectDestroyed(ObjectChange),
    /// Its last values stay readable.
    ObjectHidden(ObjectChange),
    ObjectShown(ObjectChange),
    OwnerChanged(OwnerChange),
    /// It comes on the host, with `Orphan::AskGame`.
    ObjectOrphaned(OwnerChange),
    /// The game answers with `migrate()` or `refuse_claim()`.
    ClaimAsked(Claim),
    ClaimGranted(Claim),
    ClaimRefused(Claim),
    /// The game answers with `reply()` if the call has an id.
    Call(Call<'a>),
    Reply(Call<'a>),
    CallFailed(Call<'a>),
}

/// A peer that joins.
#[derive(Clone, Copy)]
pub struct Newcomer<'a> {
    pub peer: PeerId,
    /// This was its id before it was removed, if we knew it.
    pub previous: PeerId,
    raw: sys::tern_event_newcomer,
    _session: &'a Session, // It keeps the name and the payload from a next receive().
}

impl Newcomer<'_> {
    pub fn name(&self) -> String {
        // SAFETY: The text is valid until the next receive(), which needs the session alone.
        unsafe { copied_text(self.raw.name) }
    }

    /// Gives the bytes that the newcomer passed to `join()`, in `Event::JoinAsked` only; those of
    /// `Event::PeerJoined` are empty.
    pub fn payload(&self) -> Vec<u8> {
        // SAFETY: The bytes are valid until then, too.
        unsafe { slice(self.raw.payload.cast(), self.raw.payload_bytes.into()) }.to_vec()
    }
}

impl std::fmt::Debug for Newcomer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Newcomer").field("peer", &self.peer).field("name", &self.name()).finish()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ObjectChange {
    pub object: ObjectId,
    /// Bit i: field i of the type.
    pub changed_fields: u64,
    pub owner: PeerId,
}

#[derive(Clone, Copy, Debug)]
pub struct OwnerChange {
    pub object: ObjectId,
    pub changed_fields: u64,
    /// The previous owner learns how many of its writes are missing.
    pub lost_ticks: u32,
    pub owner: PeerId,
    pub previous: PeerId,
}

#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub object: ObjectId,
    pub claimer: PeerId,
    pub refusal: ClaimRefusal,
}

/// A call, a reply, or a call that failed.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The call was to the owner of this object, if to any.
    pub object: Option<ObjectId>,
    /// The caller; of a failed call the recipient.
    pub peer: PeerId,
    /// It is there if the call awaits a reply, and of replies and failed calls.
    pub id: Option<CallId>,
    pub failure: CallFailure,
    raw: sys::tern_event_call,
    session: &'a Session,
}

impl Call<'_> {
    /// Gives the arguments if they have this type.
    pub fn arguments<T: Type>(&self) -> Option<T> {
        let is_of = self.session.type_number::<T>().ok() == Some(self.raw.type_)
            && usize::from(self.raw.argument_bytes) == std::mem::size_of::<T>()
            && !self.raw.arguments.is_null();
        // SAFETY: They are a struct of that type, which is valid until the next receive(). That
        // needs the session alone.
        is_of.then(|| unsafe { self.raw.arguments.cast::<T>().read_unaligned() })
    }
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("peer", &self.peer).field("id", &self.id).finish()
    }
}

/// The events of the last `Session::receive()`.
#[derive(Clone)]
pub struct Events<'a> {
    session: &'a Session,
    left: List<'a, sys::tern_event>,
}

impl<'a> Events<'a> {
    pub(crate) fn new(session: &'a Session, left: List<'a, sys::tern_event>) -> Self {
        Self { session, left }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            // SAFETY: The event is one of the session's last receive().
            let event = unsafe { read(&self.left.next()?, self.session) };
            if event.is_some() {
                return event;
            }
        }
    }
}

/// # Safety
/// tern has made the event, so that the kind says which member of the union is set.
unsafe fn read<'a>(event: &sys::tern_event, session: &'a Session) -> Option<Event<'a>> {
    let of = &event.of;
    Some(match event.kind {
        sys::TERN_EVENT_JOIN_PROGRESS => Event::JoinProgress {
            objects_here: of.progress.objects_here,
            objects_expected: of.progress.objects_expected,
        },
        sys::TERN_EVENT_CAUGHT_UP => Event::CaughtUp,
        sys::TERN_EVENT_JOIN_ASKED => Event::JoinAsked(newcomer(of.newcomer, session)),
        sys::TERN_EVENT_PEER_JOINED => Event::PeerJoined(newcomer(of.newcomer, session)),
        sys::TERN_EVENT_PEER_LEFT => Event::PeerLeft(PeerId(of.peer)),
        sys::TERN_EVENT_MISBEHAVED => Event::Misbehaved {
            peer: PeerId(of.misbehaved.peer),
            reporter: PeerId(of.misbehaved.reporter),
            breach: Breach::from_c(of.misbehaved.breach),
        },
        sys::TERN_EVENT_HOST_LOST => Event::HostLost(PeerId(of.peer)),
        sys::TERN_EVENT_HOST_CHANGED => {
            Event::HostChanged { peer: PeerId(of.host.peer), previous: PeerId(of.host.previous) }
        }
        sys::TERN_EVENT_OBJECT_CREATED => Event::ObjectCreated(object_change(of.object)),
        sys::TERN_EVENT_OBJECT_CHANGED => Event::ObjectChanged(object_change(of.object)),
        sys::TERN_EVENT_OBJECT_DESTROYED => Event::ObjectDestroyed(object_change(of.object)),
        sys::TERN_EVENT_OBJECT_HIDDEN => Event::ObjectHidden(object_change(of.object)),
        sys::TERN_EVENT_OBJECT_SHOWN => Event::ObjectShown(object_change(of.object)),
        sys::TERN_EVENT_OWNER_CHANGED => Event::OwnerChanged(owner_change(of.owner)),
        sys::TERN_EVENT_OBJECT_ORPHANED => Event::ObjectOrphaned(owner_change(of.owner)),
        sys::TERN_EVENT_CLAIM_ASKED => Event::ClaimAsked(claim(of.claim)),
        sys::TERN_EVENT_CLAIM_GRANTED => Event::ClaimGranted(claim(of.claim)),
        sys::TERN_EVENT_CLAIM_REFUSED => Event::ClaimRefused(claim(of.claim)),
        sys::TERN_EVENT_CALL => Event::Call(call(of.call, session)),
        sys::TERN_EVENT_REPLY => Event::Reply(call(of.call, session)),
        sys::TERN_EVENT_CALL_FAILED => Event::CallFailed(call(of.call, session)),
        _ => return None,
    })
}

fn newcomer(raw: sys::tern_event_newcomer, session: &Session) -> Newcomer<'_> {
    let (peer, previous) = (PeerId(raw.peer), PeerId(raw.previous));
    Newcomer { peer, previous, raw, _session: session }
}

fn object_change(raw: sys::tern_event_object) -> ObjectChange {
    ObjectChange {
        object: ObjectId::from_u64(raw.id),
        changed_fields: raw.changed_fields,
        owner: PeerId(raw.owner),
    }
}

fn owner_change(raw: sys::tern_event_owner) -> OwnerChange {
    OwnerChange {
        object: ObjectId::from_u64(raw.object),
        changed_fields: raw.changed_fields,
        lost_ticks: raw.lost_ticks,
        owner: PeerId(raw.owner),
        previous: PeerId(raw.previous),
    }
}

fn claim(raw: sys::tern_event_claim) -> Claim {
    Claim {
        object: ObjectId::from_u64(raw.object),
        claimer: PeerId(raw.claimer),
        refusal: ClaimRefusal::from_c(raw.refusal),
    }
}

fn call(raw: sys::tern_event_call, session: &Session) -> Call<'_> {
    let object = ObjectId::from_u64(raw.object);
    Call {
        object: (!object.is_none()).then_some(object),
        peer: PeerId(raw.peer),
        id: (raw.id != sys::TERN_NO_CALL).then_some(CallId(raw.id)),
        failure: CallFailure::from_c(raw.failure),
        raw,
        session,
    }
}
