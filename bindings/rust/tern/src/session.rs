//! This process's peer of one session: its beginning and end, ticks, invites and peers.

use crate::config::{Callbacks, Config};
use crate::enums::State;
use crate::error::{c_text, check, copied_text, Error, ErrorKind, Result};
use crate::event::Events;
use crate::ids::PeerId;
use crate::list::List;
use crate::net::{slice, Address, Datagram, Invite};
use crate::types::{short_name, Type, TypeTable};
use std::any::TypeId;
use std::ptr::{null, NonNull};
use tern_sys as sys;

/// This process's peer of one session.
///
/// Functions that end what earlier calls have given, such as [`receive()`](Self::receive), need the
/// session alone (`&mut`); all others take `&self`, so that a game calls them while it goes through
/// its events:
///
/// ```no_run
/// # fn play(session: &mut tern::Session) -> tern::Result<()> {
/// session.receive(&[], tern::clock_us())?;
/// for event in session.events() {
///     if let tern::Event::ObjectCreated(made) = event {
///         session.claim(made.object)?;
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// So events do not outlive their tick, nor lists:
///
/// ```compile_fail,E0502
/// # fn play(session: &mut tern::Session) -> tern::Result<()> {
/// let events = session.events();
/// session.receive(&[], tern::clock_us())?;
/// for event in events {}
/// # Ok(())
/// # }
/// ```
///
/// ```compile_fail,E0502
/// # fn play<T: tern::Type>(session: &mut tern::Session) -> tern::Result<()> {
/// let values = session.values::<T>()?;
/// session.receive(&[], tern::clock_us())?;
/// println!("{}", values.len());
/// # Ok(())
/// # }
/// ```
pub struct Session {
    raw: NonNull<sys::tern_session>,
    callbacks: *mut Callbacks,
    types: Vec<TypeId>,
}

// SAFETY: Any thread may use a session, one at a time; a Session is not Sync. The log is Send.
unsafe impl Send for Session {}

impl Drop for Session {
    /// Sends no goodbye: see `leave()`.
    fn drop(&mut self) {
        // SAFETY: Both are valid, and nothing uses them afterwards.
        unsafe {
            sys::tern_destroy_session(self.raw.as_ptr());
            drop(Box::from_raw(self.callbacks));
        }
    }
}

impl Session {
    /// `types`: of `tern::types![]`; equal on all peers.
    pub fn new(config: Config, types: &[TypeTable]) -> Result<Self> {
        let (raw, callbacks) = config.make(types)?;
        Ok(Self { raw, callbacks, types: types.iter().map(|table| table.id).collect() })
    }

    /// Gives the session of C, for functions of `tern_sys` that this crate does not have.
    ///
    /// `tern_receive()`, `tern_send()` and `tern_go_on()` end what earlier calls have given: do not
    /// call them while events, lists or datagrams are alive. Never call `tern_destroy_session()`,
    /// because a session is destroyed when it is dropped.
    pub fn as_ptr(&self) -> *mut sys::tern_session {
        self.raw.as_ptr()
    }

    fn take_note(&self) -> Option<String> {
        // SAFETY: The callbacks are valid until drop(), and no reference to them outlives a call.
        unsafe { &*self.callbacks }.misuse.take()
    }

    /// Gives the session of C for one call, and drops the note of a misuse through `as_ptr()`.
    pub(crate) fn begin(&self) -> *mut sys::tern_session {
        drop(self.take_note());
        self.as_ptr()
    }

    /// Gives the misuse that the handler has noted since `begin()`.
    pub(crate) fn noted(&self) -> Result<()> {
        match self.take_note() {
            Some(text) => Err(Error::new(ErrorKind::Misuse, text)),
            None => Ok(()),
        }
    }

    pub(crate) fn done(&self, result: sys::tern_result) -> Result<()> {
        self.noted()?;
        check(result)
    }

    pub(crate) fn type_number<T: Type>(&self) -> Result<u16> {
        let id = TypeId::of::<T>();
        match self.types.iter().position(|known| *known == id) {
            Some(number) => Ok(number as u16), // A config has at most 256 types.
            None => {
                let name = short_name::<T>();
                let text = format!("{name} is no type of this session: pass it to Session::new().");
                Err(Error::new(ErrorKind::Misuse, text))
            }
        }
    }

    // --- Beginning and end ---

    /// Makes this peer the first one, and the host.
    pub fn start(&mut self) -> Result<()> {
        // SAFETY: The session is valid, here and in all functions below.
        self.done(unsafe { sys::tern_start(self.begin()) })
    }

    /// Joins through the member that made the invite. The payload, at most 256 bytes, goes to the
    /// host's game. `Event::CaughtUp` follows, or a state that `state_text()` explains.
    pub fn join(&mut self, invite: &Invite, payload: &[u8]) -> Result<()> {
        // SAFETY: Invite and payload are valid during the call, which copies them.
        self.done(unsafe {
            let bytes = payload.as_ptr().cast();
            sys::tern_join(self.begin(), &invite.raw, bytes, payload.len())
        })
    }

    /// Keep calling `receive()` and `send()` until the state is `Left`.
    pub fn leave(&self) -> Result<()> {
        self.done(unsafe { sys::tern_leave(self.begin()) })
    }

    /// When cut off: makes this peer the host of a new session that keeps all objects.
    pub fn go_on(&mut self) -> Result<()> {
        self.done(unsafe { sys::tern_go_on(self.begin()) })
    }

    pub fn state(&self) -> State {
        State::from_c(unsafe { sys::tern_session_state(self.begin()) })
    }

    /// A sentence about the state: what happened, and what to do.
    pub fn state_text(&self) -> String {
        unsafe { copied_text(sys::tern_state_text(self.begin())) }
    }

    // --- A tick: receive(), all events(), the game's own work, send() ---

    /// Takes the datagrams that have arrived since the last call. `now_us`: a time in microseconds
    /// that never goes back, such as [`clock_us()`](crate::clock_us).
    pub fn receive(&mut self, datagrams: &[Datagram<'_>], now_us: u64) -> Result<()> {
        // SAFETY: A Datagram is a transparent tern_datagram, and all are valid during the call.
        self.done(unsafe {
            let first = datagrams.as_ptr().cast();
            sys::tern_receive(self.begin(), first, datagrams.len(), now_us)
        })
    }

    /// The events of the last `receive()`.
    pub fn events(&self) -> Events<'_> {
        let mut first = null();
        // SAFETY: The events are valid until the next receive(), which needs the session alone.
        let events = unsafe {
            let count = sys::tern_events(self.begin(), &mut first);
            List::new(first, count)
        };
        Events::new(self, events)
    }

    /// Gives the datagrams to send.
    pub fn send(&mut self, now_us: u64) -> Result<&[Datagram<'_>]> {
        let mut first = null();
        // SAFETY: The datagrams are valid until the next send(), which needs the session alone; and
        // a Datagram is a transparent tern_datagram.
        let datagrams = unsafe {
            let count = sys::tern_send(self.begin(), now_us, &mut first);
            slice(first.cast(), count)
        };
        self.noted()?;
        Ok(datagrams)
    }

    // --- Invites and peers ---

    /// `addresses`, 1 to 4, are where newcomers reach this process.
    pub fn make_invite(&self, addresses: &[Address]) -> Result<Invite> {
        // SAFETY: An Address is a transparent tern_address; zeros are a valid invite.
        unsafe {
            let mut raw: sys::tern_invite = std::mem::zeroed();
            let first = addresses.as_ptr().cast();
            let (session, count) = (self.begin(), addresses.len());
            self.done(sys::tern_make_invite(session, first, count, &mut raw))?;
            Ok(Invite { raw })
        }
    }

    pub fn local_peer(&self) -> PeerId {
        PeerId(unsafe { sys::tern_local_peer(self.begin()) })
    }

    pub fn host_peer(&self) -> PeerId {
        PeerId(unsafe { sys::tern_host_peer(self.begin()) })
    }

    /// Gives a copy of the ids of the other members, in rising order.
    pub fn other_peers(&self) -> Vec<PeerId> {
        let mut first = null();
        // SAFETY: A PeerId is a transparent tern_peer. They are copied before another call, such as
        // remove(), rewrites them.
        unsafe {
            let count = sys::tern_other_peers(self.begin(), &mut first);
            slice(first.cast(), count).to_vec()
        }
    }

    pub fn peer_name(&self, peer: PeerId) -> Result<String> {
        let name = unsafe { copied_text(sys::tern_peer_name(self.begin(), peer.0)) };
        self.noted()?;
        Ok(name)
    }

    /// The host's session clock at `now_us`, in microseconds since its `start()`.
    pub fn session_clock_us(&self, now_us: u64) -> Result<u64> {
        let clock_us = unsafe { sys::tern_session_clock_us(self.begin(), now_us) };
        self.noted()?;
        Ok(clock_us)
    }

    // --- For the host's game, on the host only ---

    pub fn admit(&self, newcomer: PeerId) -> Result<()> {
        self.done(unsafe { sys::tern_admit(self.begin(), newcomer.0) })
    }

    pub fn refuse(&self, newcomer: PeerId, reason: &str) -> Result<()> {
        let reason = c_text(reason, "the reason")?;
        // SAFETY: The text is valid during the call.
        self.done(unsafe { sys::tern_refuse(self.begin(), newcomer.0, reason.as_ptr()) })
    }

    /// A kick, and a ban.
    pub fn remove(&self, peer: PeerId) -> Result<()> {
        self.done(unsafe { sys::tern_remove(self.begin(), peer.0) })
    }
}
