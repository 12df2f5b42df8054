//! The front end on arbitrary bytes: `cargo +nightly fuzz run front`.
//!
//! What a user would see is made, too. Start from the models: `cargo +nightly fuzz run front fuzz/corpus/front models
//! models/tiny`.
#![no_main]

use ferrospin::front::{self, Loader, Options};
use ferrospin::stack::with_big_stack;
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

/// Nothing can be included.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("there is no `{name}`"))
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    with_big_stack(|| {
        let front = front::read_text("fuzz.pml", &*text, &Options::default(), &mut NoFiles);
        std::hint::black_box((front.text(true), front.types_text(), front.messages()));
    });
});
