//! Functions of the C library that need nothing outside: memory, strings, characters, text, allocation.

use crate::Trouble;
use crate::eval::Number;
use crate::format::{Piece, format};
use crate::machine::{Given, Machine, Passed};
use crate::memory::{Memory, State};

fn int(value: i128) -> Result<Given, Trouble> {
    Ok(Given::Number(Number::Int(value)))
}

impl Machine {
    /// Does what a function of the library does, or says that it is not there.
    pub(crate) fn library(&mut self, name: &str, args: &[Passed]) -> Result<Given, Trouble> {
        let bare = name.strip_prefix("__builtin_").unwrap_or(name);
        let arg = |i: usize| args.get(i).map_or(Number::Int(0), Passed::number);
        let address = |i: usize| arg(i).address();
        let given = |i: usize| int(i128::from(arg(i).address()));
        match bare {
            "memcpy" | "memmove" | "mempcpy" => {
                let n = address(2);
                self.work(n)?;
                self.memory.copy(address(0), address(1), n)?;
                if bare == "mempcpy" { int(i128::from(address(0) + n)) } else { given(0) }
            }
            "memset" => {
                let n = address(2);
                self.work(n)?;
                self.memory.write(address(0), n)?.fill(address(1) as u8);
                given(0)
            }
            "memcmp" | "bcmp" => {
                let n = address(2);
                self.work(n)?;
                let (a, b) = (self.memory.read(address(0), n)?, self.memory.read(address(1), n)?);
                int(order(a.iter().zip(b).map(|(x, y)| i128::from(*x) - i128::from(*y))))
            }
            "memchr" => {
                let bytes = self.memory.read(address(0), address(2))?;
                let found = bytes.iter().position(|&b| b == address(1) as u8);
                int(found.map_or(0, |i| i128::from(address(0)) + i as i128))
            }
            "strlen" => int(self.memory.string(address(0))?.len() as i128),
            "strnlen" => {
                let n = address(1);
                let room = self.left(address(0));
                let bytes = self.memory.read(address(0), n.min(room))?;
                let found = bytes.iter().position(|&b| b == 0);
                match found {
                    Some(i) => int(i as i128),
                    None if n <= room => int(i128::from(n)),
                    None => self.memory.read(address(0), n).map(|_| Given::Nothing),
                }
            }
            "strcmp" | "strncmp" => {
                let n = if bare == "strcmp" { u64::MAX } else { address(2) };
                self.compare(address(0), address(1), n)
            }
            "strcpy" | "strncpy" | "strcat" => {
                let mut bytes = self.prefix(address(1), if bare == "strncpy" { address(2) } else { u64::MAX })?;
                let mut to = address(0);
                match bare {
                    "strncpy" => bytes.resize(self.sane(address(2))?, 0),
                    _ => bytes.push(0),
                }
                if bare == "strcat" {
                    to += self.memory.string(to)?.len() as u64;
                }
                self.work(bytes.len() as u64)?;
                self.memory.write(to, bytes.len() as u64)?.copy_from_slice(&bytes);
                given(0)
            }
            "strchr" | "strrchr" => {
                let mut bytes = self.memory.string(address(0))?;
                bytes.push(0);
                let wanted = address(1) as u8;
                let found = if bare == "strchr" {
                    bytes.iter().position(|&b| b == wanted)
                } else {
                    bytes.iter().rposition(|&b| b == wanted)
                };
                int(found.map_or(0, |i| i128::from(address(0)) + i as i128))
            }
            "strstr" => {
                let (text, part) = (self.memory.string(address(0))?, self.memory.string(address(1))?);
                self.work((text.len() * part.len().max(1)) as u64)?;
                let found = (0..=text.len().saturating_sub(part.len())).find(|&i| text[i..].starts_with(&part));
                int(found.map_or(0, |i| i128::from(address(0)) + i as i128))
            }
            "abs" => int(crate::eval::wrap(
                ferrospin_c::flow::Scalar::Int { bytes: 4, signed: true },
                arg(0).int().wrapping_abs(),
            )),
            "labs" | "llabs" => int(crate::eval::wrap(
                ferrospin_c::flow::Scalar::Int { bytes: 8, signed: true },
                arg(0).int().wrapping_abs(),
            )),
            "isalpha" | "isdigit" | "isalnum" | "isspace" | "isupper" | "islower" | "isxdigit" | "isprint"
            | "ispunct" | "iscntrl" | "isgraph" | "isblank" | "toupper" | "tolower" => {
                int(character(bare, arg(0).int()))
            }
            "malloc" | "calloc" => {
                let bytes = if bare == "malloc" { Some(address(0)) } else { address(0).checked_mul(address(1)) };
                let Some(bytes) = bytes else { return int(0) };
                let region = self.memory.allocate(bytes, State::Heap, &"allocated memory".into())?;
                int(i128::from(Memory::address(region, 0)))
            }
            "realloc" => {
                let old = address(0);
                let region = self.memory.allocate(address(1), State::Heap, &"allocated memory".into())?;
                let new = Memory::address(region, 0);
                if old != 0 {
                    let Some(size) = self.memory.heap_size(old) else { return Err(Trouble::BadFree) };
                    self.memory.copy(new, old, size.min(address(1)))?;
                    self.memory.free(old)?;
                }
                int(i128::from(new))
            }
            "free" => self.memory.free(address(0)).map(|()| Given::Nothing),
            "printf" | "Printf" => {
                let text = self.formatted(address(0), &args[1.min(args.len())..])?;
                self.print(&text)
            }
            "fprintf" => {
                let text = self.formatted(address(1), &args[2.min(args.len())..])?;
                self.print(&text)
            }
            "puts" => {
                let mut text = self.memory.string(address(0))?;
                text.push(b'\n');
                self.print(&text)
            }
            "putchar" => {
                self.print(&[address(0) as u8])?;
                int(i128::from(address(0) as u8))
            }
            "fputs" => {
                let text = self.memory.string(address(0))?;
                self.print(&text)
            }
            "fflush" => int(0),
            "sprintf" | "snprintf" => {
                let bounded = bare == "snprintf";
                let at = if bounded { 2 } else { 1 };
                let text = self.formatted(address(at), &args[(at + 1).min(args.len())..])?;
                let length = text.len();
                let room = if bounded { address(1) } else { u64::MAX };
                if room > 0 {
                    let mut text = text;
                    text.truncate(room.saturating_sub(1).min(1 << 30) as usize);
                    text.push(0);
                    self.memory.write(address(0), text.len() as u64)?.copy_from_slice(&text);
                }
                int(length as i128)
            }
            "rand" => {
                self.seed = self.seed.wrapping_mul(1_103_515_245).wrapping_add(12345) & 0x7fff_ffff;
                int(i128::from(self.seed))
            }
            "srand" => {
                self.seed = address(0) as u32 & 0x7fff_ffff;
                Ok(Given::Nothing)
            }
            "abort" | "trap" => Err(Trouble::Abort),
            "exit" | "_exit" => Err(Trouble::Exit(arg(0).int() as i32)),
            "uerror" => {
                let text = self.text(address(0))?;
                self.complain(Trouble::Told(text))
            }
            // A model has no clock.
            "time" | "gettimeofday" | "clock" => {
                let bytes = match bare {
                    "time" => 8,
                    "gettimeofday" => 16,
                    _ => 0,
                };
                if address(0) != 0 && bytes > 0 {
                    self.memory.write(address(0), bytes)?.fill(0);
                }
                int(0)
            }
            "__ferrospin_assert_failed" | "__assert_fail" => {
                let text = self.text(address(0))?;
                self.complain(Trouble::Assertion(text))
            }
            _ => Err(Trouble::Undefined(name.to_string())),
        }
    }

    /// Bytes from an address to the end of its object.
    fn left(&self, address: u64) -> u64 {
        let Some(region) = self.memory.region_of(address) else { return 0 };
        (self.memory.bytes(region).len() as u64).saturating_sub(Memory::offset_of(address))
    }

    /// A size that memory could have.
    fn sane(&self, size: u64) -> Result<usize, Trouble> {
        if size > self.memory.bytes_max { Err(Trouble::Memory(self.memory.bytes_max)) } else { Ok(size as usize) }
    }

    /// A string, or as much of it as asked for; that much need not end in a zero.
    fn prefix(&self, address: u64, most: u64) -> Result<Vec<u8>, Trouble> {
        if most <= self.left(address) {
            let bytes = self.memory.read(address, most)?;
            let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
            return Ok(bytes[..end].to_vec());
        }
        self.memory.string(address)
    }

    fn compare(&mut self, a: u64, b: u64, most: u64) -> Result<Given, Trouble> {
        for i in 0..most {
            self.work(16)?;
            let (x, y) = (self.memory.read(a + i, 1)?[0], self.memory.read(b + i, 1)?[0]);
            if x != y || x == 0 {
                return int(order(std::iter::once(i128::from(x) - i128::from(y))));
            }
        }
        int(0)
    }

    fn text(&self, address: u64) -> Result<String, Trouble> {
        Ok(String::from_utf8_lossy(&self.memory.string(address)?).into_owned())
    }

    fn formatted(&mut self, at: u64, args: &[Passed]) -> Result<Vec<u8>, Trouble> {
        let pattern = self.memory.string(at)?;
        let mut out = Vec::new();
        let mut next = args.iter().map(Passed::number);
        for piece in format(&pattern) {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Directive(mut d) => {
                    if d.width_argument {
                        let given = next.next().map_or(0, |n| n.int() as i32);
                        d.left |= given < 0;
                        d.width = given.unsigned_abs() as usize;
                    }
                    if d.precision_argument {
                        d.precision = next.next().and_then(|n| usize::try_from(n.int() as i32).ok());
                    }
                    let value = next.next().unwrap_or(Number::Int(0));
                    let text = match d.conversion {
                        b's' => self.prefix(value.address(), d.precision.map_or(u64::MAX, |p| p as u64))?,
                        _ => Vec::new(),
                    };
                    if d.width.max(d.precision.unwrap_or(0)) > 1 << 16 {
                        return Err(Trouble::Refused("a field of more than 65536 characters".into()));
                    }
                    out.extend(
                        d.write(value, &text)
                            .ok_or_else(|| Trouble::Refused(format!("`%{}` in a format", char::from(d.conversion))))?,
                    );
                }
            }
            self.work(out.len() as u64 / 64)?;
        }
        Ok(out)
    }

    fn print(&mut self, text: &[u8]) -> Result<Given, Trouble> {
        self.work(text.len() as u64)?;
        if (self.output.len() + text.len()) as u64 > self.memory.bytes_max {
            return Err(Trouble::Memory(self.memory.bytes_max));
        }
        self.output.extend_from_slice(text);
        int(text.len() as i128)
    }
}

/// -1, 0 or 1 by the first difference.
fn order(differences: impl Iterator<Item = i128>) -> i128 {
    differences.map(i128::signum).find(|&d| d != 0).unwrap_or(0)
}

/// The functions of `ctype.h`, as the C locale has them.
fn character(name: &str, value: i128) -> i128 {
    let Ok(c) = u8::try_from(value) else { return if name.starts_with("to") { value } else { 0 } };
    let holds = match name {
        "isalpha" => c.is_ascii_alphabetic(),
        "isdigit" => c.is_ascii_digit(),
        "isalnum" => c.is_ascii_alphanumeric(),
        "isspace" => matches!(c, b' ' | 9..=13),
        "isupper" => c.is_ascii_uppercase(),
        "islower" => c.is_ascii_lowercase(),
        "isxdigit" => c.is_ascii_hexdigit(),
        "isprint" => (32..127).contains(&c),
        "ispunct" => c.is_ascii_punctuation(),
        "iscntrl" => c.is_ascii_control(),
        "isgraph" => c.is_ascii_graphic(),
        "isblank" => matches!(c, b' ' | b'\t'),
        "toupper" => return c.to_ascii_uppercase().into(),
        _ => return c.to_ascii_lowercase().into(),
    };
    i128::from(holds)
}
