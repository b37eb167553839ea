//! The ids of peers, objects and calls.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use tern_sys as sys;

/// A peer of one session. The host assigns the ids in ascending order and never reuses one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct PeerId(pub u16);

impl PeerId {
    pub const NONE: Self = Self(sys::TERN_NO_PEER);
    /// The present host, as the recipient of a call.
    pub const HOST: Self = Self(sys::TERN_HOST);
    /// All other members, as the recipient of a call.
    pub const EVERYONE: Self = Self(sys::TERN_EVERYONE);
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A call that awaits an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId(pub(crate) u32);

/// An `ObjectId<Any>` is the id of an object whose type is not known. `Session::find_object()`
/// gives the typed id.
#[derive(Clone, Copy, Debug)]
pub enum Any {}

/// An object of one session, with a struct of type `T`. Ids are never reused in a session.
///
/// The type is a hint for the compiler, not a promise: a field of another peer may name any object.
/// Functions that read or write the struct compare the types, and fail if they differ.
#[repr(transparent)]
pub struct ObjectId<T = Any> {
    id: u64,
    of: PhantomData<fn() -> T>,
}

impl<T> ObjectId<T> {
    pub const NONE: Self = Self::from_u64(sys::TERN_NO_OBJECT);

    pub const fn from_u64(id: u64) -> Self {
        Self { id, of: PhantomData }
    }

    pub const fn to_u64(self) -> u64 {
        self.id
    }

    pub const fn is_none(self) -> bool {
        self.id == sys::TERN_NO_OBJECT
    }

    /// Forgets the type.
    pub const fn any(self) -> ObjectId {
        ObjectId::from_u64(self.id)
    }
}

// derive() would demand the traits of T, too.
impl<T> Clone for ObjectId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ObjectId<T> {}

impl<T> Default for ObjectId<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T, U> PartialEq<ObjectId<U>> for ObjectId<T> {
    fn eq(&self, other: &ObjectId<U>) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for ObjectId<T> {}

impl<T> Hash for ObjectId<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// Prints the object as logs of tern name it: the peer that has created it, a point and its number
/// among the objects of that peer, as in "1.12".
impl<T> fmt::Display for ObjectId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; sys::TERN_OBJECT_TEXT_MAX];
        // SAFETY: The function writes a text of C into an array of the size that it demands.
        f.write_str(&unsafe {
            sys::tern_object_text(self.id, text.as_mut_ptr());
            crate::error::copied_text(text.as_ptr())
        })
    }
}

impl<T> fmt::Debug for ObjectId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({self})")
    }
}
