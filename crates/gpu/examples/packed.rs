//! Searches a model with the emulator and tells how its states are packed: `packed FILE [-DNAME=VALUE...]`.

use ferrospin_gpu::emulate::Emulator;
use ferrospin_gpu::{Memory, Options, Sizes, search};
use ferrospin_interp::Interp;
use std::sync::Arc;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&arguments[0]).expect("the file can be read");
    let defines: Vec<&str> = arguments[1..].iter().map(String::as_str).collect();
    let model = Arc::new(ferrospin_testkit::model(&arguments[0], &text, &defines).expect("it is a model"));
    let mut device = Emulator::new(0, 2, 1 << 31);
    let memory = Some(Memory { slots: 1 << 20, queue: 1 << 20, bytes_max: 0, levels: 1 << 16 });
    let sizes = Sizes { threads: 32, blocks_min: 1, ..Sizes::default() };
    let options = Options { memory, sizes, ..Options::default() };
    match search(&mut device, &model, &mut Interp::new(model.clone()), &options, &mut |_| true) {
        Ok(found) => {
            println!(
                "{} states, {} matched, {} bits, {}",
                found.states,
                found.matched,
                found.figures.bits,
                found.figures.table.name()
            );
            found.figures.fields.iter().for_each(|f| println!("{f}"));
            println!("widened: {:?}", found.figures.widened);
        }
        Err(why) => println!("{why}"),
    }
}
