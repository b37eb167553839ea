//! Errors, and texts of C.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use tern_sys as sys;

pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed, as in `tern_result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The game must not make this call. The text says what to do instead.
    Misuse,
    /// The state is `CutOff`: nothing can change.
    CutOff,
    /// A limit or a queue is full: try again later.
    NoRoom,
    /// The peer or the object is not there, or not any more.
    Gone,
    /// `callers` or `calls_per_second_max` of the type forbids the call.
    NotAllowed,
    BadConfig,
    /// The text is no invite or no address.
    BadText,
    NoMemory,
    PortInUse,
    /// The port is below 1024, or a local firewall forbids it.
    NotPermitted,
    /// This machine does not have the IP version.
    NoSuchFamily,
    /// The system is out of descriptors.
    System,
    /// The library is newer than this crate.
    Other(i32),
}

impl ErrorKind {
    fn from_c(result: sys::tern_result) -> Self {
        match result {
            sys::TERN_MISUSE => Self::Misuse,
            sys::TERN_CUT_OFF => Self::CutOff,
            sys::TERN_NO_ROOM => Self::NoRoom,
            sys::TERN_GONE => Self::Gone,
            sys::TERN_NOT_ALLOWED => Self::NotAllowed,
            sys::TERN_BAD_CONFIG => Self::BadConfig,
            sys::TERN_BAD_TEXT => Self::BadText,
            sys::TERN_NO_MEMORY => Self::NoMemory,
            sys::TERN_PORT_IN_USE => Self::PortInUse,
            sys::TERN_NOT_PERMITTED => Self::NotPermitted,
            sys::TERN_NO_SUCH_FAMILY => Self::NoSuchFamily,
            sys::TERN_SYSTEM => Self::System,
            other => Self::Other(other),
        }
    }
}

/// A call that failed. It is displayed as a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    text: Cow<'static, str>,
}

impl Error {
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(crate) fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, text: text.into() }
    }

    pub(crate) fn of(result: sys::tern_result) -> Self {
        // SAFETY: The function takes every number, and its texts are constants.
        let text = unsafe { static_text(sys::tern_result_text(result)) };
        Self { kind: ErrorKind::from_c(result), text }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// Makes an error of all results but `TERN_OK`.
pub(crate) fn check(result: sys::tern_result) -> Result<()> {
    if result == sys::TERN_OK {
        Ok(())
    } else {
        Err(Error::of(result))
    }
}

/// # Safety
/// `text` is null, or a text of C that is never freed or changed.
pub(crate) unsafe fn static_text(text: *const c_char) -> Cow<'static, str> {
    if text.is_null() {
        return Cow::Borrowed("");
    }
    CStr::from_ptr(text).to_string_lossy()
}

/// # Safety
/// `text` is null, or a text of C.
pub(crate) unsafe fn copied_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

/// Gives the text for C, which ends with a zero.
pub(crate) fn c_text(text: &str, what: &str) -> Result<CString> {
    CString::new(text).map_err(|_| {
        Error::new(ErrorKind::BadText, format!("{what}: it has a zero byte, which ends texts in C"))
    })
}
