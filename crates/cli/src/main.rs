//! The program `ferrospin`: see the library of this package.

/// Ends the program with a sentence where memory runs out.
#[global_allocator]
static ALLOCATOR: ferrospin_store::refusal::Allocator = ferrospin_store::refusal::Allocator;

fn main() -> std::process::ExitCode {
    ferrospin_cli::main()
}
