//! Structs that later versions make longer: their first field says how many bytes the caller has.

use std::mem::size_of;
use std::ptr;

/// What the caller says. `name` is the struct's, whose first version has so many bytes.
///
/// # Safety
///
/// `out` is null or points to as many bytes as its first field, a `usize`, says.
pub unsafe fn size<T>(out: *const T, name: &str, smallest: usize) -> Result<usize, String> {
    if out.is_null() {
        return Err(format!("the {name} is NULL"));
    }
    // SAFETY: as promised by the caller; the size is there in every version.
    let size = unsafe { out.cast::<usize>().read() };
    if size < smallest {
        return Err(format!(
            "{name} of {size} bytes; set `size` to sizeof({name}), at least {smallest}"
        ));
    }
    Ok(size)
}

/// Writes what of it the caller has room for.
///
/// # Safety
///
/// `out` has room for `size` bytes.
pub unsafe fn write<T>(out: *mut T, size: usize, told: &T) {
    let bytes = size.min(size_of::<T>());
    // SAFETY: as promised by the caller.
    unsafe { ptr::copy_nonoverlapping(ptr::from_ref(told).cast::<u8>(), out.cast(), bytes) };
}
