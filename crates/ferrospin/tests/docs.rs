//! Documents that follow from the code.
//!
//! `UPDATE_EXPECT=1 cargo test -p ferrospin --test docs` writes them anew.

use expect_test::expect_file;
use ferrospin_promela::lints::{CODES, Level};

#[test]
fn the_list_of_lints() {
    let mut text = String::from(
        "# Lints\n\n\
         What `ferrospin lint` finds in models that SPIN accepts. The code is what `--allow` and `--deny` take; see\n\
         [the manual](manual.md#lint).\n\n\
         | code | by default | what it finds |\n|---|---|---|\n",
    );
    for info in CODES {
        let level = match info.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Off => "off",
        };
        text += &format!("| `{}` | {level} | {} |\n", info.code, info.description);
    }
    text += "\nWhat is off is shown only when it is denied.\n";
    expect_file!["../../../docs/lints.md"].assert_eq(&text);
}
