//! Lists in the memory of tern.

use crate::session::Session;
use std::marker::PhantomData;

/// Values of a session, which are copied from the memory of tern one by one. It is an iterator.
///
/// They are read when they are asked for, so they show what the game has set since the list was
/// made. But structs are a snapshot if an optimistic claim of an object of their type awaited its
/// answer when the list was made; the next `values()` or `objects()` of the type renews it. The
/// list ends with the next `receive()`.
pub struct List<'a, T> {
    next: *const T,
    left: usize,
    session: PhantomData<(&'a Session, T)>,
}

impl<'a, T: Copy> List<'a, T> {
    /// # Safety
    /// `count` values of T lie there during 'a, which need not be aligned; other calls of the same
    /// thread may change them to other values of T.
    pub(crate) unsafe fn new(first: *const T, count: usize) -> Self {
        let left = if first.is_null() { 0 } else { count };
        Self { next: first, left, session: PhantomData }
    }

    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: new() demands that the values lie there; a list cannot leave its thread.
        (i < self.left).then(|| unsafe { self.next.add(i).read_unaligned() })
    }
}

impl<T: Copy> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Copy> Copy for List<'_, T> {}

impl<T: Copy> Iterator for List<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let value = self.get(0)?;
        // SAFETY: There is a value here, so that the place behind it is in the list or at its end.
        self.next = unsafe { self.next.add(1) };
        self.left -= 1;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Copy> ExactSizeIterator for List<'_, T> {}
