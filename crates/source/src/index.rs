//! Typed indices: numbers into one table, which cannot be taken for numbers into another.

/// Defines such types; each wraps a `u32`.
#[macro_export]
macro_rules! typed_index {
    ($(#[$doc:meta] $name:ident)*) => { $(
        #[$doc]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// The index as a `usize`.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )* };
}
