//! Types of tern are structs that `tern_type!` declares, with their tables of fields.

use crate::enums::{Callers, ClaimPolicy, Orphan};
use crate::ids::{ObjectId, PeerId};
use crate::text::Text;
use std::any::TypeId;
use tern_sys as sys;

/// A struct that is replicated as objects, or sent as the arguments of calls. `tern_type!` declares
/// it.
///
/// # Safety
/// The struct is `repr(C)`, each member implements [`FieldType`], and `fields()` has a row for each
/// of them, with its offset. So all that tern writes into the struct is a valid value of it.
pub unsafe trait Type: Copy + 'static {
    const NAME: &'static str;
    fn options() -> TypeOptions;
    fn fields() -> Vec<Field>;
}

/// `tern_type!` takes these options behind the name of a type, as in `tern_type` of `types.h`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeOptions {
    /// Objects that can be alive at once, of all peers together. 0: the type is for calls only.
    pub objects_max: u32,
    pub orphan: Orphan,
    pub claim: ClaimPolicy,
    pub claim_cooldown_ms: u32,
    pub owned_max: u32,
    pub claims_per_second_max: u16,
    pub callers: Callers,
    pub calls_per_second_max: u16,
    /// For objects that move steadily: their updates are smaller, and take more CPU time.
    pub predicted: bool,
}

/// `tern_type!` takes these options behind the type of a field, as in `tern_field` of `types.h`.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldOptions {
    /// The name on the other side. Empty: that of the member.
    pub name: &'static str,
    /// The range of a number; both 0: that of its type.
    pub min: f64,
    pub max: f64,
    /// The precision of a float with a range, or of a quaternion. 0: it is sent exactly.
    pub step: f64,
    /// Receivers extrapolate the field, and get an update when they are off by more. 0: it is sent
    /// with every change.
    pub bound: f64,
}

/// A row of the table of fields.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    name: &'static str,
    kind: sys::tern_field_kind,
    offset_bytes: usize,
    count: usize,
    options: FieldOptions,
}

impl Field {
    /// Describes the member at `member` of the struct at `begin`. It reads neither.
    pub fn new<T, F: FieldType>(
        name: &'static str,
        begin: *const T,
        member: *const F,
        options: FieldOptions,
    ) -> Self {
        let has_range = options.min != 0.0 || options.max != 0.0;
        let is_bytes = F::KIND == sys::TERN_BYTES;
        Self {
            name: if options.name.is_empty() { name } else { options.name },
            // Bytes have no range, so bytes with a range are numbers, as in C++.
            kind: if is_bytes && has_range { sys::TERN_UINT8 } else { F::KIND },
            offset_bytes: (member as usize).wrapping_sub(begin as usize),
            count: F::COUNT,
            options,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn to_c(self, name: *const std::os::raw::c_char) -> sys::tern_field {
        let clamp = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        sys::tern_field {
            name,
            kind: self.kind,
            offset_bytes: clamp(self.offset_bytes),
            count: clamp(self.count),
            min: self.options.min,
            max: self.options.max,
            step: self.options.step,
            bound: self.options.bound,
        }
    }
}

/// Members of replicated structs have such a type: `bool`, integers, `f32`, [`Quaternion`],
/// [`Text`], [`PeerId`], [`ObjectId`], and arrays of these but texts and quaternions. A `[u8; N]`
/// is bytes, or numbers if it has a range.
///
/// # Safety
/// The type has the layout of the kind. All zeros are a value of it, and so is each value that tern
/// gives to fields of the kind. For example a struct of three `f32` in a row, with `TERN_FLOAT32`
/// and 3.
pub unsafe trait FieldType: Copy + 'static {
    const KIND: sys::tern_field_kind;
    /// The length of the array; in bytes for texts and bytes.
    const COUNT: usize;
}

/// The elements of an array have such a type.
///
/// # Safety
/// The type fulfils the demands of [`FieldType`], and its `COUNT` is 1.
pub unsafe trait Element: FieldType {
    const ARRAY_KIND: sys::tern_field_kind = Self::KIND;
}

macro_rules! element {
    ($($type:ty: $kind:ident;)*) => {
        $(
            // SAFETY: types.h gives the layout of the kind.
            unsafe impl FieldType for $type {
                const KIND: sys::tern_field_kind = sys::$kind;
                const COUNT: usize = 1;
            }
            // SAFETY: The COUNT is 1.
            unsafe impl Element for $type {}
        )*
    };
}

element! {
    bool: TERN_BOOLEAN;
    i8: TERN_INT8;
    i16: TERN_INT16;
    i32: TERN_INT32;
    i64: TERN_INT64;
    u16: TERN_UINT16;
    u32: TERN_UINT32;
    u64: TERN_UINT64;
    f32: TERN_FLOAT32;
    PeerId: TERN_PEER;
}

// SAFETY: types.h gives the layout of the kind.
unsafe impl FieldType for u8 {
    const KIND: sys::tern_field_kind = sys::TERN_UINT8;
    const COUNT: usize = 1;
}

// SAFETY: The COUNT is 1. All bytes are valid, as bytes and as numbers.
unsafe impl Element for u8 {
    const ARRAY_KIND: sys::tern_field_kind = sys::TERN_BYTES;
}

// SAFETY: It is a transparent u64, whose values are all valid.
unsafe impl<T: 'static> FieldType for ObjectId<T> {
    const KIND: sys::tern_field_kind = sys::TERN_OBJECT;
    const COUNT: usize = 1;
}

// SAFETY: The COUNT is 1.
unsafe impl<T: 'static> Element for ObjectId<T> {}

// SAFETY: An array has its elements in a row.
unsafe impl<E: Element, const N: usize> FieldType for [E; N] {
    const KIND: sys::tern_field_kind = E::ARRAY_KIND;
    const COUNT: usize = N;
}

// SAFETY: It is a transparent array of bytes, which are all valid.
unsafe impl<const N: usize> FieldType for Text<N> {
    const KIND: sys::tern_field_kind = sys::TERN_TEXT;
    const COUNT: usize = N;
}

/// A rotation, as four numbers x, y, z, w of length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Quaternion(pub [f32; 4]);

impl Default for Quaternion {
    fn default() -> Self {
        Self([0.0, 0.0, 0.0, 1.0])
    }
}

// SAFETY: It is a transparent float[4].
unsafe impl FieldType for Quaternion {
    const KIND: sys::tern_field_kind = sys::TERN_QUATERNION;
    const COUNT: usize = 1;
}

/// A type for `Session::new()`: [`types!`](crate::types) makes a list of them.
#[derive(Clone, Debug)]
pub struct TypeTable {
    pub(crate) id: TypeId,
    pub(crate) struct_name: &'static str,
    pub(crate) name: &'static str,
    pub(crate) size_bytes: usize,
    pub(crate) options: TypeOptions,
    pub(crate) fields: Vec<Field>,
}

impl TypeTable {
    pub fn of<T: Type>() -> Self {
        Self {
            id: TypeId::of::<T>(),
            struct_name: short_name::<T>(),
            name: T::NAME,
            size_bytes: std::mem::size_of::<T>(),
            options: T::options(),
            fields: T::fields(),
        }
    }
}

/// Gives the name of the struct without its path.
pub(crate) fn short_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}

/// Declares a struct that is replicated as objects, or sent as the arguments of calls: first the
/// name of the type, with its [`TypeOptions`], then the struct, whose fields have their
/// [`FieldOptions`] behind the type. Names, ranges and steps are equal on all peers; only the
/// layout in memory may differ.
///
/// ```
/// tern::tern_type! {
///     "ball" { objects_max: 10 }
///     #[derive(Debug, Default)]
///     pub struct Ball {
///         pub x: f32 { min: -100.0, max: 100.0, step: 0.01 },
///         pub y: f32 { min: -100.0, max: 100.0, step: 0.01 },
///         pub touches: u16,
///     }
/// }
/// ```
///
/// A member that tern cannot send is an error of the compiler:
///
/// ```compile_fail,E0277
/// tern::tern_type! {
///     "wide" { objects_max: 10 }
///     struct Wide {
///         number: f64, // It would be f32.
///     }
/// }
/// ```
#[macro_export]
macro_rules! tern_type {
    (
        $name:literal $({ $($option:ident: $value:expr),* $(,)? })?
        $(#[$attribute:meta])*
        $visibility:vis struct $struct:ident {
            $(
                $(#[$field_attribute:meta])*
                $field_visibility:vis $field:ident: $type:ty
                    $({ $($field_option:ident: $field_value:expr),* $(,)? })?
            ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        $visibility struct $struct {
            $($(#[$field_attribute])* $field_visibility $field: $type,)*
        }

        // SAFETY: All members are in the table, and Field::new() takes field types only.
        unsafe impl $crate::Type for $struct {
            const NAME: &'static str = $name;

            #[allow(clippy::needless_update)]
            fn options() -> $crate::TypeOptions {
                $crate::TypeOptions {
                    $($($option: $value,)*)?
                    ..::std::default::Default::default()
                }
            }

            #[allow(clippy::needless_update)]
            fn fields() -> ::std::vec::Vec<$crate::Field> {
                let uninit = ::std::mem::MaybeUninit::<$struct>::uninit();
                let begin = uninit.as_ptr();
                ::std::vec![$(
                    $crate::Field::new(
                        stringify!($field),
                        begin,
                        // SAFETY: The place is in the struct, and nothing reads it.
                        unsafe { ::std::ptr::addr_of!((*begin).$field) },
                        $crate::FieldOptions {
                            $($($field_option: $field_value,)*)?
                            ..::std::default::Default::default()
                        },
                    ),
                )*]
            }
        }
    };
}

/// Lists types for `Session::new()`: `types![Ball, Cheer]`.
#[macro_export]
macro_rules! types {
    ($($type:ty),* $(,)?) => {
        [$($crate::TypeTable::of::<$type>()),*]
    };
}
