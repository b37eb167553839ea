//! The settings of a session, and how they become those of C.

use crate::enums::{Admission, Misbehaviour, Quorum, Topology};
use crate::error::{c_text, copied_text, Error, ErrorKind, Result};
use crate::types::TypeTable;
use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null_mut, NonNull};
use tern_sys as sys;

/// Gets lines about the session for a log file.
pub type Log = Box<dyn Fn(&str) + Send>;

/// The settings of a session, as in `tern_config` of `types.h`. Zero means the default.
#[derive(Default)]
pub struct Config {
    /// This peer's name; others see 31 bytes of it.
    pub name: String,
    /// Peers of the session, this one included. Equal on all peers. 0: 16.
    pub peers_max: u16,
    /// Equal on all peers.
    pub topology: Topology,
    /// Equal on all peers.
    pub quorum: Quorum,
    pub admission: Admission,
    pub misbehaviour: Misbehaviour,
    pub send_bytes_per_second_max: u32,
    pub bridge_bytes_per_second_max: u32,
    pub forward_bytes_per_second_max: u32,
    /// A peer that is silent for this long counts as gone. 0: 10,000.
    pub timeout_ms: u32,
    /// Joining may take this long. 0: 10,000.
    pub join_timeout_ms: u32,
    /// A peer that is cut off does what `go_on()` does after this time. 0: it waits.
    pub go_on_after_ms: u32,
    /// Not 0, then 65,536 or more: the session is recorded into a buffer of this size, from which
    /// `tern_sys::tern_take_recording()` takes it. A RECORDING CONTAINS THE KEYS AND THE SECRET OF
    /// ITS SESSION.
    pub recording_bytes_max: u32,
    /// It must not panic: that ends the program, because a panic cannot pass through C.
    pub log: Option<Log>,
}

/// Callbacks of C find this struct by their `user` pointer.
pub(crate) struct Callbacks {
    /// The first misuse since somebody took it.
    pub(crate) misuse: RefCell<Option<String>>,
    log: Option<Log>,
}

unsafe extern "C" fn note_misuse(user: *mut c_void, misuse: *const sys::tern_misuse) {
    let callbacks = &*user.cast::<Callbacks>();
    let misuse = &*misuse;
    let mut first = callbacks.misuse.borrow_mut();
    if first.is_none() {
        *first = Some(format!(
            "{}(): {} {}",
            copied_text(misuse.function),
            copied_text(misuse.wrong),
            copied_text(misuse.remedy)
        ));
    }
}

unsafe extern "C" fn write_log(user: *mut c_void, text: *const c_char) {
    let callbacks = &*user.cast::<Callbacks>();
    if let Some(log) = &callbacks.log {
        let line = CStr::from_ptr(text).to_string_lossy();
        // The payload of the panic is never dropped, because that may panic again.
        if let Err(_payload) = catch_unwind(AssertUnwindSafe(|| log(&line))) {
            std::process::abort();
        }
    }
}

// The texts and tables that C reads while a session is made.
struct Tables {
    texts: Vec<CString>,
    fields: Vec<Vec<sys::tern_field>>,
    types: Vec<sys::tern_type>,
}

impl Tables {
    fn text(&mut self, text: &str, what: &str) -> Result<*const c_char> {
        self.texts.push(c_text(text, what)?);
        Ok(self.texts[self.texts.len() - 1].as_ptr())
    }

    fn add(&mut self, table: &TypeTable) -> Result<()> {
        let mut fields = Vec::with_capacity(table.fields.len());
        for field in &table.fields {
            let name = self.text(field.name().trim_start_matches("r#"), table.struct_name)?;
            fields.push(field.to_c(name));
        }
        let options = table.options;
        let made = sys::tern_type {
            name: self.text(table.name, table.struct_name)?,
            size_bytes: u32::try_from(table.size_bytes).unwrap_or(u32::MAX),
            fields: fields.as_ptr(),
            field_count: fields.len(),
            objects_max: options.objects_max,
            orphan: options.orphan as i32,
            claim: options.claim as i32,
            claim_cooldown_ms: options.claim_cooldown_ms,
            owned_max: options.owned_max,
            claims_per_second_max: options.claims_per_second_max,
            callers: options.callers as i32,
            calls_per_second_max: options.calls_per_second_max,
            predicted: options.predicted,
        };
        self.fields.push(fields);
        self.types.push(made);
        Ok(())
    }
}

fn size_of<T>() -> u32 {
    std::mem::size_of::<T>() as u32 // The structs of C have a few hundred bytes.
}

impl Config {
    fn to_c(&self, tables: &mut Tables, types: &[TypeTable]) -> Result<sys::tern_config> {
        for table in types {
            tables.add(table)?;
        }
        // SAFETY: All zeros are a valid config.
        let mut c: sys::tern_config = unsafe { std::mem::zeroed() };
        c.struct_size = size_of::<sys::tern_config>();
        c.type_bytes = size_of::<sys::tern_type>();
        c.field_bytes = size_of::<sys::tern_field>();
        c.types = tables.types.as_ptr();
        c.type_count = tables.types.len();
        c.name = tables.text(&self.name, "the name")?;
        c.peers_max = self.peers_max;
        c.topology = self.topology as i32;
        c.quorum = self.quorum as i32;
        c.admission = self.admission as i32;
        c.misbehaviour = self.misbehaviour as i32;
        c.send_bytes_per_second_max = self.send_bytes_per_second_max;
        c.bridge_bytes_per_second_max = self.bridge_bytes_per_second_max;
        c.forward_bytes_per_second_max = self.forward_bytes_per_second_max;
        c.timeout_ms = self.timeout_ms;
        c.join_timeout_ms = self.join_timeout_ms;
        c.go_on_after_ms = self.go_on_after_ms;
        c.recording_bytes_max = self.recording_bytes_max;
        Ok(c)
    }

    /// Makes a session of C. Its caller frees the callbacks, after the session.
    pub(crate) fn make(
        mut self,
        types: &[TypeTable],
    ) -> Result<(NonNull<sys::tern_session>, *mut Callbacks)> {
        let mut tables = Tables { texts: Vec::new(), fields: Vec::new(), types: Vec::new() };
        let mut c = self.to_c(&mut tables, types)?;
        let has_log = self.log.is_some();
        let callbacks =
            Box::into_raw(Box::new(Callbacks { misuse: RefCell::new(None), log: self.log.take() }));
        c.misuse = sys::tern_misuse_handler { handle: Some(note_misuse), user: callbacks.cast() };
        if has_log {
            c.log = sys::tern_log { line: Some(write_log), user: callbacks.cast() };
        }
        let mut raw = null_mut();
        // SAFETY: `tables` has all that the config points to, and C copies it.
        let result = unsafe { sys::tern_make_session(&c, &mut raw) };
        match NonNull::new(raw) {
            Some(session) if result == sys::TERN_OK => Ok((session, callbacks)),
            _ => {
                let error = problem(&c).unwrap_or_else(|| Error::of(result));
                // SAFETY: There is no session that would use them.
                drop(unsafe { Box::from_raw(callbacks) });
                Err(error)
            }
        }
    }
}

fn problem(config: &sys::tern_config) -> Option<Error> {
    let mut text = [0; sys::TERN_PROBLEM_TEXT_MAX];
    // SAFETY: The config is valid, and the array has the size that the function demands.
    let text = unsafe {
        sys::tern_config_problem(config, text.as_mut_ptr());
        CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
    };
    (!text.is_empty()).then(|| Error::new(ErrorKind::BadConfig, text))
}
