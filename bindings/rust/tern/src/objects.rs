//! The objects of a session.

use crate::enums::ClaimMode;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{ObjectId, PeerId};
use crate::list::List;
use crate::session::Session;
use crate::types::{short_name, Type};
use std::mem::{size_of, size_of_val, MaybeUninit};
use std::os::raw::c_void;
use std::ptr::null;
use tern_sys as sys;

pub(crate) fn bytes_of<T>(value: &T) -> *const c_void {
    (value as *const T).cast()
}

// SAFETY: The session is valid in all calls, and pointers to values are valid during them.
impl Session {
    /// Copies the struct and gives the new object. `ErrorKind::NoRoom`: `creations_left()` is 0.
    pub fn create<T: Type>(&self, value: T) -> Result<ObjectId<T>> {
        let type_ = self.type_number::<T>()?;
        let mut object = sys::TERN_NO_OBJECT;
        self.done(unsafe {
            let bytes = bytes_of(&value);
            sys::tern_create(self.begin(), type_, bytes, size_of::<T>(), &mut object)
        })?;
        Ok(ObjectId::from_u64(object))
    }

    /// Gives the number of objects of the type that `create()` can make now; tern asks the host for
    /// more.
    pub fn creations_left<T: Type>(&self) -> Result<u32> {
        let type_ = self.type_number::<T>()?;
        let left = unsafe { sys::tern_creations_left(self.begin(), type_) };
        self.noted()?;
        Ok(left)
    }

    /// The owner may destroy an object. Its struct can be read until the next `receive()`.
    pub fn destroy<T>(&self, object: ObjectId<T>) -> Result<()> {
        self.done(unsafe { sys::tern_destroy(self.begin(), object.to_u64()) })
    }

    /// Whether the object is known, and alive.
    pub fn exists<T>(&self, object: ObjectId<T>) -> bool {
        unsafe { sys::tern_exists(self.begin(), object.to_u64()) }
    }

    /// Gives the typed id if the object can be read and has this type.
    pub fn find_object<T: Type>(&self, object: ObjectId) -> Option<ObjectId<T>> {
        let (value, type_) = self.find_value(object);
        let is_of = !value.is_null() && self.type_number::<T>().ok() == Some(type_);
        is_of.then(|| ObjectId::from_u64(object.to_u64()))
    }

    fn find_value<T>(&self, object: ObjectId<T>) -> (*const c_void, u16) {
        let mut type_ = sys::TERN_NO_TYPE;
        let id = object.to_u64();
        (unsafe { sys::tern_find_value(self.begin(), id, &mut type_) }, type_)
    }

    // C knows a struct by its size only. Gives where the struct lies; null: there is none.
    fn checked<T: Type>(&self, function: &str, object: ObjectId<T>) -> Result<*const T> {
        let wanted = self.type_number::<T>()?;
        let (value, type_) = self.find_value(object);
        if value.is_null() || type_ == wanted {
            return Ok(value.cast());
        }
        let text = format!(
            "{function}(): Object {object} has another type than {}. find_object() compares the \
             types.",
            short_name::<T>()
        );
        Err(Error::new(ErrorKind::Misuse, text))
    }

    /// A copy of the object's struct.
    pub fn get<T: Type>(&self, object: ObjectId<T>) -> Result<T> {
        let value = self.checked("get", object)?;
        if !value.is_null() {
            // SAFETY: tern keeps a struct of this type there.
            return Ok(unsafe { value.read_unaligned() });
        }
        // tern_get() notes what is wrong.
        unsafe { sys::tern_get(self.begin(), object.to_u64(), size_of::<T>()) };
        self.noted()?;
        Err(Error::of(sys::TERN_GONE))
    }

    /// Stores the struct as other peers will see it, clamped to ranges and rounded to steps. It
    /// requires `may_set()`, and that no float is NaN.
    pub fn set<T: Type>(&self, object: ObjectId<T>, value: T) -> Result<()> {
        self.checked("set", object)?;
        self.done(unsafe {
            let bytes = bytes_of(&value);
            sys::tern_set(self.begin(), object.to_u64(), bytes, size_of::<T>())
        })
    }

    /// Whether `set()` may be called: the session is open, and the object is ours or is claimed
    /// optimistically.
    pub fn may_set<T>(&self, object: ObjectId<T>) -> bool {
        unsafe { sys::tern_may_set(self.begin(), object.to_u64()) }
    }

    /// Sets many objects in one call, and gives the number of those that were set. An object for
    /// which the call is wrong is left out; if there was one, the first is the error.
    pub fn set_many<T: Type>(&self, objects: &[ObjectId<T>], values: &[T]) -> Result<usize> {
        let type_ = self.type_number::<T>()?;
        if objects.len() != values.len() {
            let text = format!("{} objects and {} values", objects.len(), values.len());
            return Err(Error::new(ErrorKind::Misuse, text));
        }
        // SAFETY: An ObjectId is a transparent tern_object.
        let count = unsafe {
            let (first, bytes) = (objects.as_ptr().cast(), values.as_ptr().cast());
            let size = size_of_val(values);
            sys::tern_set_many(self.begin(), type_, first, objects.len(), bytes, size)
        };
        self.noted()?;
        Ok(count)
    }

    /// The struct as of `at_us` for drawing, on the clock of `receive()`.
    pub fn sample<T: Type>(&self, object: ObjectId<T>, at_us: u64) -> Result<T> {
        self.checked("sample", object)?;
        let mut value = MaybeUninit::<T>::zeroed();
        let bytes = value.as_mut_ptr().cast();
        let id = object.to_u64();
        self.done(unsafe { sys::tern_sample(self.begin(), id, at_us, bytes, size_of::<T>()) })?;
        // SAFETY: The function has written a struct of this type.
        Ok(unsafe { value.assume_init() })
    }

    /// The ids of all objects of a type, in no particular order. One that was destroyed stays until
    /// the next `receive()`: see `exists()`.
    pub fn ids<T: Type>(&self) -> Result<List<'_, ObjectId<T>>> {
        let type_ = self.type_number::<T>()?;
        let mut first = null();
        let count = unsafe { sys::tern_object_ids(self.begin(), type_, &mut first) };
        self.noted()?;
        // SAFETY: An ObjectId is a transparent tern_object. The ids are valid until the next
        // receive(), which needs the session alone.
        Ok(unsafe { List::new(first.cast(), count) })
    }

    /// The structs of all objects of a type, in the order of `ids()`. They are read in the memory
    /// of tern, without a call for each.
    pub fn values<T: Type>(&self) -> Result<List<'_, T>> {
        let type_ = self.type_number::<T>()?;
        let count = self.ids::<T>()?.len();
        let first = unsafe { sys::tern_object_values(self.begin(), type_, size_of::<T>()) };
        self.noted()?;
        // SAFETY: tern keeps that many structs of this type there until the next receive(), which
        // needs the session alone.
        Ok(unsafe { List::new(first.cast(), count) })
    }

    /// The ids of all objects of a type, with their structs.
    pub fn objects<T: Type>(&self) -> Result<impl ExactSizeIterator<Item = (ObjectId<T>, T)> + '_> {
        Ok(self.ids::<T>()?.zip(self.values::<T>()?))
    }

    pub fn owner<T>(&self, object: ObjectId<T>) -> Result<PeerId> {
        let owner = unsafe { sys::tern_object_owner(self.begin(), object.to_u64()) };
        self.noted()?;
        Ok(PeerId(owner))
    }

    // --- Ownership ---

    /// Asks the host for an object. One `Event::ClaimGranted` or `Event::ClaimRefused` follows.
    pub fn claim<T>(&self, object: ObjectId<T>) -> Result<()> {
        self.claim_as(object, ClaimMode::Wait)
    }

    pub fn claim_as<T>(&self, object: ObjectId<T>, mode: ClaimMode) -> Result<()> {
        self.done(unsafe { sys::tern_claim(self.begin(), object.to_u64(), mode as i32) })
    }

    /// Whether a claim of the object by this peer waits for its answer.
    pub fn is_claiming<T>(&self, object: ObjectId<T>) -> bool {
        unsafe { sys::tern_is_claiming(self.begin(), object.to_u64()) }
    }

    /// The owner gives the object up to the host.
    pub fn release_ownership<T>(&self, object: ObjectId<T>) -> Result<()> {
        self.done(unsafe { sys::tern_release_ownership(self.begin(), object.to_u64()) })
    }

    /// The owner locks an object: the host then refuses claims of it.
    pub fn lock<T>(&self, object: ObjectId<T>, locked: bool) -> Result<()> {
        self.done(unsafe { sys::tern_lock(self.begin(), object.to_u64(), locked) })
    }

    /// The host gives the object to a peer.
    pub fn migrate<T>(&self, object: ObjectId<T>, to: PeerId) -> Result<()> {
        self.done(unsafe { sys::tern_migrate(self.begin(), object.to_u64(), to.0) })
    }

    pub fn refuse_claim<T>(&self, object: ObjectId<T>, claimer: PeerId) -> Result<()> {
        self.done(unsafe { sys::tern_refuse_claim(self.begin(), object.to_u64(), claimer.0) })
    }

    /// The host spreads the objects of a type evenly over the members.
    pub fn balance<T: Type>(&self) -> Result<()> {
        let type_ = self.type_number::<T>()?;
        self.done(unsafe { sys::tern_balance(self.begin(), type_) })
    }

    /// A hash of all living objects, equal on peers that have the same world.
    pub fn world_digest(&self) -> u64 {
        unsafe { sys::tern_world_digest(self.begin()) }
    }
}
