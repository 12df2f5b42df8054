//! Bounds that turn input of unbounded growth into an error. No honest model comes near them.

/// Files that may include one another (gcc has the same bound).
pub(super) const INCLUDE_DEPTH_MAX: usize = 200;
/// Files read in all.
pub(super) const INCLUDE_COUNT_MAX: usize = 20_000;
/// Bytes of files read in all, each inclusion counted.
pub(super) const INPUT_BYTES_MAX: usize = 256 << 20;
/// Bytes of expanded text.
pub(super) const OUTPUT_BYTES_MAX: usize = 64 << 20;
/// Tokens of a C unit.
pub(super) const PIECES_MAX: usize = 16_000_000;
/// Tokens moved by macro expansion, each expansion counted as several.
pub(super) const STEPS_MAX: usize = 30_000_000;
/// What an expansion counts for, by the time it takes.
pub(super) const STEPS_OF_EXPANSION: usize = 8;
/// Tokens of macro calls that are held at one time.
pub(super) const LIVE_TOKENS_MAX: usize = 8_000_000;
/// Bytes of one token made by `#` or `##`.
pub(super) const TOKEN_BYTES_MAX: usize = 1 << 20;
/// Expansions that are recorded; text of later ones points at the use only.
pub(super) const EXPANSIONS_MAX: usize = 1_000_000;
/// Messages; later ones are dropped.
pub(super) const MESSAGES_MAX: usize = 500;
