//! A table of functions from outside: whole, of a version that is known, and then in the catalogue.

use std::ffi::{c_char, c_void, CStr, CString};
use std::mem::size_of;
use std::ptr;
use std::sync::Arc;

use quiche_cc::catalogue::{self, Added, Build};
use quiche_cc::spec::visible;
use quiche_cc::SpecError;

use crate::abi::{self, Ops};
use crate::controller::Foreign;

/// More states are taken for a list without an end.
const MAX_STATES: usize = 64;
/// Room for the reason why options are refused.
const REASON_SIZE: usize = 512;

/// What a controller from outside consists of, once it is known to be whole.
#[derive(Debug)]
pub struct Table {
    pub name: String,
    summary: String,
    pub states: Vec<&'static str>,
    check: Option<abi::Check>,
    pub create: abi::Create,
    pub destroy: Option<abi::Destroy>,
    pub on_sent: Option<abi::OnSent>,
    pub on_feedback: abi::OnFeedback,
    pub on_app_limited: Option<abi::OnAppLimited>,
    pub on_max_datagram_bytes: Option<abi::OnMaxDatagramBytes>,
    pub decide: abi::Decide,
    pub ctx: *mut c_void,
}

// SAFETY: `quiche_cc.h` asks for functions that any thread can call, and what `ctx` points to is theirs.
unsafe impl Send for Table {}
unsafe impl Sync for Table {}

/// Adds the controller `name` to the catalogue, for the rest of the process.
///
/// # Errors
///
/// What is wrong with the name or the table, and what is allowed.
///
/// # Safety
///
/// `ops` is null or points to `version` and `size`, and, if these are right, to a whole table whose pointers are null or
/// as `quiche_cc.h` asks for; they and `ctx` stay valid.
pub unsafe fn register(name: &str, ops: *const Ops, ctx: *mut c_void) -> Result<(), String> {
    // SAFETY: as promised by the caller.
    let table = unsafe { read(name, ops, ctx) }.map_err(|wrong| format!("{name}: {wrong}"))?;
    let table = Arc::new(table);
    catalogue::add(Added {
        name: name.to_owned(),
        summary: table.summary.clone(),
        configure: Box::new(move |spec, options| configure(&table, spec, options)),
    })
    .map_err(|e| e.to_string())
}

unsafe fn read(name: &str, ops: *const Ops, ctx: *mut c_void) -> Result<Table, String> {
    if ops.is_null() {
        return Err("the table of functions is NULL".to_owned());
    }
    // SAFETY: the two are there in every version.
    let (version, size) = unsafe { ((*ops).version, (*ops).size as usize) };
    if version != abi::OPS_VERSION {
        return Err(format!(
            "the table of functions is of version {version}; this library knows version {}",
            abi::OPS_VERSION
        ));
    }
    if size != size_of::<Ops>() {
        return Err(format!(
            "the table of functions has {size} bytes; version {version} has {}",
            size_of::<Ops>()
        ));
    }
    // SAFETY: version and size are those of this type.
    let ops = unsafe { ptr::read(ops) };
    let missing = |function: &str| format!("{function} is NULL in the table of functions");
    Ok(Table {
        name: name.to_owned(),
        // SAFETY: null or text, as promised by the caller.
        summary: visible(&unsafe { text(ops.summary) }.unwrap_or_default()),
        states: unsafe { states(ops.states) }?,
        check: ops.check,
        create: ops.create.ok_or_else(|| missing("create"))?,
        destroy: ops.destroy,
        on_sent: ops.on_sent,
        on_feedback: ops.on_feedback.ok_or_else(|| missing("on_feedback"))?,
        on_app_limited: ops.on_app_limited,
        on_max_datagram_bytes: ops.on_max_datagram_bytes,
        decide: ops.decide.ok_or_else(|| missing("decide"))?,
        ctx,
    })
}

unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: not null, so it ends with NUL, as promised.
    (!text.is_null()).then(|| {
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned()
    })
}

/// Kept for the rest of the process, like the table.
unsafe fn states(list: *const *const c_char) -> Result<Vec<&'static str>, String> {
    let mut states: Vec<&'static str> = Vec::new();
    while !list.is_null() {
        // SAFETY: the list goes on until its NULL, as promised.
        let Some(state) = (unsafe { text(*list.add(states.len())) }) else {
            break;
        };
        if states.len() == MAX_STATES {
            return Err(format!(
                "more than {MAX_STATES} states, or no NULL at their end"
            ));
        }
        states.push(state.leak());
    }
    if states.is_empty() {
        states.push("active");
    }
    Ok(states)
}

fn configure(table: &Arc<Table>, spec: &str, options: &str) -> Result<Arc<Build>, SpecError> {
    let refuse = |reason: &str| SpecError::new(format!("{}: {reason}", table.name));
    let given = CString::new(options).map_err(|_| refuse("options can't contain NUL"))?;
    if let Some(check) = table.check {
        let mut reason = [0u8; REASON_SIZE];
        // SAFETY: the table is what `register` was promised, and the texts are valid during the call.
        let fine = unsafe {
            check(
                table.ctx,
                given.as_ptr(),
                reason.as_mut_ptr().cast(),
                REASON_SIZE,
            )
        };
        if !fine {
            let said = CStr::from_bytes_until_nul(&reason).unwrap_or_default();
            return Err(refuse(&match said.to_string_lossy() {
                said if said.is_empty() => format!("the options \"{options}\" are refused"),
                said => said.into_owned(),
            }));
        }
    } else if !options.is_empty() {
        return Err(refuse("takes no options"));
    }
    let (table, spec) = (Arc::clone(table), spec.to_owned());
    Ok(Arc::new(move |start| {
        Box::new(Foreign::new(Arc::clone(&table), &spec, &given, start))
    }))
}
