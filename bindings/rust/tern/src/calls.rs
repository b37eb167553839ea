//! Calls between peers.

use crate::enums::Reliability;
use crate::error::Result;
use crate::ids::{CallId, ObjectId, PeerId};
use crate::objects::bytes_of;
use crate::session::Session;
use crate::types::Type;
use std::mem::size_of;
use tern_sys as sys;

// SAFETY: The session is valid in all calls, and pointers to values are valid during them.
impl Session {
    /// `to`: another member, `PeerId::EVERYONE`, or `PeerId::HOST`. Reliable calls from one peer to
    /// another arrive in order.
    pub fn call<T: Type>(&self, to: PeerId, arguments: T) -> Result<()> {
        self.call_as(to, arguments, Reliability::Reliable)
    }

    /// An unreliable call cannot be to `PeerId::HOST`.
    pub fn call_as<T: Type>(
        &self,
        to: PeerId,
        arguments: T,
        reliability: Reliability,
    ) -> Result<()> {
        let type_ = self.type_number::<T>()?;
        let (bytes, size) = (bytes_of(&arguments), size_of::<T>());
        self.done(unsafe {
            sys::tern_call(self.begin(), to.0, type_, bytes, size, reliability as i32)
        })
    }

    /// Calls the peer that owns the object when the call arrives, this one too. It is delivered
    /// once, or `Event::CallFailed` follows with this id.
    pub fn call_owner<T, A: Type>(&self, object: ObjectId<T>, arguments: A) -> Result<CallId> {
        let type_ = self.type_number::<A>()?;
        let mut call = sys::TERN_NO_CALL;
        let (bytes, size) = (bytes_of(&arguments), size_of::<A>());
        self.done(unsafe {
            let id = object.to_u64();
            sys::tern_call_owner(self.begin(), id, type_, bytes, size, &mut call)
        })?;
        Ok(CallId(call))
    }

    /// A call that awaits a reply: `Event::Reply` or `Event::CallFailed` follows with this id.
    pub fn request<T: Type>(&self, to: PeerId, arguments: T, timeout_ms: u32) -> Result<CallId> {
        let type_ = self.type_number::<T>()?;
        let mut call = sys::TERN_NO_CALL;
        let (bytes, size) = (bytes_of(&arguments), size_of::<T>());
        self.done(unsafe {
            sys::tern_request(self.begin(), to.0, type_, bytes, size, timeout_ms, &mut call)
        })?;
        Ok(CallId(call))
    }

    /// A call to the owner of an object that awaits a reply.
    pub fn request_owner<T, A: Type>(
        &self,
        object: ObjectId<T>,
        arguments: A,
        timeout_ms: u32,
    ) -> Result<CallId> {
        let type_ = self.type_number::<A>()?;
        let mut call = sys::TERN_NO_CALL;
        let (bytes, size) = (bytes_of(&arguments), size_of::<A>());
        self.done(unsafe {
            let (session, id) = (self.begin(), object.to_u64());
            sys::tern_request_owner(session, id, type_, bytes, size, timeout_ms, &mut call)
        })?;
        Ok(CallId(call))
    }

    /// Answers an `Event::Call` that has an id, once, in the same tick or later.
    pub fn reply<T: Type>(&self, caller: PeerId, call: CallId, arguments: T) -> Result<()> {
        let type_ = self.type_number::<T>()?;
        let (bytes, size) = (bytes_of(&arguments), size_of::<T>());
        self.done(unsafe { sys::tern_reply(self.begin(), caller.0, call.0, type_, bytes, size) })
    }
}
