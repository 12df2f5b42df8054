//! States as bytes: the trait [`Encode`] and what it writes to and reads from.
//!
//! A search compares states by their bytes, so an encoding has one duty: **equal states have equal bytes, and different
//! states have different bytes**. The encodings of this module keep it; `#[derive(Encode)]` builds on them field by field.
//! Whoever writes an encoding by hand has to keep it too; [`crate::self_check`] finds the usual mistake, bytes that depend
//! on the order of a hash table, and names the field.
//!
//! Integers of a fixed width take their width, lengths and `usize` one byte for each seven bits. Sets and maps are encoded
//! in ascending order, hash tables too (which costs a sort; prefer `BTreeMap`, `BTreeSet` or bit sets in hot models).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

/// What can be part of a state.
pub trait Encode: Sized {
    /// Writes the bytes of a value.
    fn encode(&self, out: &mut Encoder);

    /// Reads a value that [`Encode::encode`] has written.
    ///
    /// # Panics
    /// May panic when the bytes are none that `encode` writes.
    fn decode(input: &mut Decoder<'_>) -> Self;

    /// The same into a value that exists, whose memory is used again.
    #[inline]
    fn decode_into(&mut self, input: &mut Decoder<'_>) {
        *self = Self::decode(input);
    }
}

/// Takes the bytes of a state.
#[derive(Default, Debug)]
pub struct Encoder {
    bytes: Vec<u8>,
    trace: Option<Box<Trace>>,
}

/// Where the fields of a state begin and end among its bytes.
#[derive(Default, Debug)]
struct Trace {
    /// The names of the fields that are open.
    path: Vec<String>,
    /// Path, start and end of each field, the outer ones behind the inner ones.
    fields: Vec<(String, usize, usize)>,
}

impl Encoder {
    /// An encoder that adds to these bytes.
    #[inline]
    pub fn over(bytes: Vec<u8>) -> Self {
        Encoder { bytes, trace: None }
    }

    /// An encoder that also notes which bytes belong to which field.
    pub(crate) fn tracing() -> Self {
        Encoder { bytes: Vec::new(), trace: Some(Box::default()) }
    }

    /// What was written.
    #[inline]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The innermost field that a byte belongs to.
    pub(crate) fn field_at(&self, byte: usize) -> Option<&str> {
        let fields = &self.trace.as_ref()?.fields;
        fields.iter().find(|(_, start, end)| (*start..*end).contains(&byte)).map(|(path, ..)| path.as_str())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes bytes as they are. The reader must know how many they are.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes a value.
    #[inline]
    pub fn value<T: Encode>(&mut self, value: &T) {
        value.encode(self);
    }

    /// Writes a field of this name.
    #[inline]
    pub fn field<T: Encode>(&mut self, name: &'static str, value: &T) {
        if self.trace.is_none() {
            return value.encode(self);
        }
        self.traced(name.to_owned(), |out| value.encode(out));
    }

    /// Writes the length of a sequence, or another number that is mostly small.
    #[inline]
    pub fn length(&mut self, length: usize) {
        let mut rest = length;
        while rest > 0x7f {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// Writes the item of this index in a sequence.
    #[inline]
    pub fn item<T: Encode>(&mut self, index: usize, value: &T) {
        if self.trace.is_none() {
            return value.encode(self);
        }
        self.traced(format!("[{index}]"), |out| value.encode(out));
    }

    #[cold]
    fn traced(&mut self, name: String, write: impl FnOnce(&mut Self)) {
        let start = self.bytes.len();
        if let Some(trace) = &mut self.trace {
            trace.path.push(name);
        }
        write(self);
        let end = self.bytes.len();
        if let Some(trace) = &mut self.trace {
            let path = trace.path.iter().enumerate().fold(String::new(), |all, (i, name)| {
                let dot = if i == 0 || name.starts_with('[') { "" } else { "." };
                all + dot + name
            });
            trace.fields.push((path, start, end));
            trace.path.pop();
        }
    }
}

/// Gives back what an [`Encoder`] took.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// Reads from these bytes.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder { rest: bytes }
    }

    /// Reads bytes that were written as they are.
    ///
    /// # Panics
    /// Panics when there are fewer.
    #[inline]
    pub fn raw(&mut self, count: usize) -> &'a [u8] {
        assert!(count <= self.rest.len(), "a state ends early: it was not encoded as it is decoded");
        let (head, tail) = self.rest.split_at(count);
        self.rest = tail;
        head
    }

    /// Reads what [`Encoder::length`] has written.
    ///
    /// # Panics
    /// Panics when no length stands here.
    #[inline]
    pub fn length(&mut self) -> usize {
        let (mut length, mut shift) = (0, 0);
        loop {
            let byte = self.raw(1)[0];
            assert!(shift < usize::BITS, "a length is too large: it was not encoded as it is decoded");
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return length;
            }
            shift += 7;
        }
    }

    /// Whether everything was read.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}

macro_rules! integers {
    ($($t:ty),*) => { $(
        impl Encode for $t {
            #[inline]
            fn encode(&self, out: &mut Encoder) {
                out.raw(&self.to_le_bytes());
            }
            #[inline]
            fn decode(input: &mut Decoder<'_>) -> Self {
                let bytes = input.raw(size_of::<$t>());
                <$t>::from_le_bytes(bytes.try_into().expect("as many bytes as were asked for"))
            }
        }
    )* };
}
integers!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128);

impl Encode for usize {
    #[inline]
    fn encode(&self, out: &mut Encoder) {
        out.length(*self);
    }
    #[inline]
    fn decode(input: &mut Decoder<'_>) -> Self {
        input.length()
    }
}

impl Encode for isize {
    #[inline]
    fn encode(&self, out: &mut Encoder) {
        // Small numbers of either sign become small numbers.
        out.length(((self << 1) ^ (self >> (isize::BITS - 1))) as usize);
    }
    #[inline]
    fn decode(input: &mut Decoder<'_>) -> Self {
        let folded = input.length();
        (folded >> 1) as isize ^ -((folded & 1) as isize)
    }
}

impl Encode for bool {
    #[inline]
    fn encode(&self, out: &mut Encoder) {
        out.raw(&[u8::from(*self)]);
    }
    #[inline]
    fn decode(input: &mut Decoder<'_>) -> Self {
        input.raw(1)[0] != 0
    }
}

impl Encode for char {
    #[inline]
    fn encode(&self, out: &mut Encoder) {
        out.length(*self as usize);
    }
    #[inline]
    fn decode(input: &mut Decoder<'_>) -> Self {
        let code = u32::try_from(input.length()).ok().and_then(char::from_u32);
        code.expect("a character: a state is decoded as it was encoded")
    }
}

impl Encode for () {
    #[inline]
    fn encode(&self, _: &mut Encoder) {}
    #[inline]
    fn decode(_: &mut Decoder<'_>) -> Self {}
}

macro_rules! tuples {
    ($(($($t:ident $i:tt),*))*) => { $(
        impl<$($t: Encode),*> Encode for ($($t,)*) {
            #[inline]
            fn encode(&self, out: &mut Encoder) {
                $(out.field(stringify!($i), &self.$i);)*
            }
            #[inline]
            fn decode(input: &mut Decoder<'_>) -> Self {
                ($($t::decode(input),)*)
            }
            #[inline]
            fn decode_into(&mut self, input: &mut Decoder<'_>) {
                $(self.$i.decode_into(input);)*
            }
        }
    )* };
}
tuples! {
    (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6) (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    #[inline]
    fn encode(&self, out: &mut Encoder) {
        self.iter().enumerate().for_each(|(i, value)| out.item(i, value));
    }
    #[inline]
    fn decode(input: &mut Decoder<'_>) -> Self {
        std::array::from_fn(|_| T::decode(input))
    }
    #[inline]
    fn decode_into(&mut self, input: &mut Decoder<'_>) {
        self.iter_mut().for_each(|value| value.decode_into(input));
    }
}

impl<T: Encode> Encode for Vec<T> {
    #[inline]
    fn encode(&self, out: &mut Encoder) {
        out.length(self.len());
        self.iter().enumerate().for_each(|(i, value)| out.item(i, value));
    }
    #[inline]
    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        (0..length).map(|_| T::decode(input)).collect()
    }
    #[inline]
    fn decode_into(&mut self, input: &mut Decoder<'_>) {
        let length = input.length();
        self.truncate(length);
        self.iter_mut().for_each(|value| value.decode_into(input));
        for _ in self.len()..length {
            self.push(T::decode(input));
        }
    }
}

impl<T: Encode> Encode for VecDeque<T> {
    fn encode(&self, out: &mut Encoder) {
        out.length(self.len());
        self.iter().enumerate().for_each(|(i, value)| out.item(i, value));
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        Vec::decode(input).into()
    }
}

impl Encode for String {
    fn encode(&self, out: &mut Encoder) {
        out.length(self.len());
        out.raw(self.as_bytes());
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        String::from_utf8(input.raw(length).to_vec()).expect("text: a state is decoded as it was encoded")
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self, out: &mut Encoder) {
        T::encode(self, out);
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        Box::new(T::decode(input))
    }
    fn decode_into(&mut self, input: &mut Decoder<'_>) {
        T::decode_into(self, input);
    }
}

impl<T: Encode> Encode for Option<T> {
    #[inline]
    fn encode(&self, out: &mut Encoder) {
        out.raw(&[u8::from(self.is_some())]);
        if let Some(value) = self {
            value.encode(out);
        }
    }
    #[inline]
    fn decode(input: &mut Decoder<'_>) -> Self {
        bool::decode(input).then(|| T::decode(input))
    }
}

impl<T: Encode, E: Encode> Encode for Result<T, E> {
    fn encode(&self, out: &mut Encoder) {
        match self {
            Ok(value) => {
                out.raw(&[1]);
                value.encode(out);
            }
            Err(error) => {
                out.raw(&[0]);
                error.encode(out);
            }
        }
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        if bool::decode(input) { Ok(T::decode(input)) } else { Err(E::decode(input)) }
    }
}

impl<T: Encode + Ord> Encode for BTreeSet<T> {
    fn encode(&self, out: &mut Encoder) {
        out.length(self.len());
        self.iter().enumerate().for_each(|(i, value)| out.item(i, value));
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        (0..length).map(|_| T::decode(input)).collect()
    }
}

impl<K: Encode + Ord, V: Encode> Encode for BTreeMap<K, V> {
    fn encode(&self, out: &mut Encoder) {
        out.length(self.len());
        for (i, (key, value)) in self.iter().enumerate() {
            out.item(i, key);
            out.item(i, value);
        }
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        (0..length).map(|_| (K::decode(input), V::decode(input))).collect()
    }
}

/// Writes entries in the order of their bytes.
fn encode_sorted<'a, T: 'a>(
    length: usize,
    entries: impl Iterator<Item = T>,
    encode: impl Fn(&T, &mut Encoder),
    out: &mut Encoder,
) {
    let mut encoded: Vec<Vec<u8>> = entries
        .map(|entry| {
            let mut own = Encoder::default();
            encode(&entry, &mut own);
            own.into_bytes()
        })
        .collect();
    encoded.sort_unstable();
    out.length(length);
    encoded.iter().for_each(|bytes| out.raw(bytes));
}

impl<T: Encode + Eq + Hash, S: BuildHasher + Default> Encode for HashSet<T, S> {
    fn encode(&self, out: &mut Encoder) {
        encode_sorted(self.len(), self.iter(), |value, own| value.encode(own), out);
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        (0..length).map(|_| T::decode(input)).collect()
    }
}

impl<K: Encode + Eq + Hash, V: Encode, S: BuildHasher + Default> Encode for HashMap<K, V, S> {
    fn encode(&self, out: &mut Encoder) {
        let entry = |(key, value): &(&K, &V), own: &mut Encoder| {
            key.encode(own);
            value.encode(own);
        };
        encode_sorted(self.len(), self.iter(), entry, out);
    }
    fn decode(input: &mut Decoder<'_>) -> Self {
        let length = input.length();
        (0..length).map(|_| (K::decode(input), V::decode(input))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes, decodes into a fresh value and over another one, and says how many bytes that took.
    fn check<T: Encode + PartialEq + std::fmt::Debug>(value: T, other: T, bytes: usize) {
        let mut out = Encoder::default();
        value.encode(&mut out);
        let encoded = out.into_bytes();
        assert_eq!(encoded.len(), bytes, "{value:?}");
        let mut input = Decoder::new(&encoded);
        assert_eq!(T::decode(&mut input), value);
        assert!(input.is_at_end());
        let (mut over, mut input) = (other, Decoder::new(&encoded));
        over.decode_into(&mut input);
        assert_eq!(over, value);
        assert!(input.is_at_end());
    }

    #[test]
    fn values_come_back() {
        check(7u8, 9, 1);
        check(-7i16, 9, 2);
        check(u128::MAX, 0, 16);
        check(127usize, 9, 1);
        check(128usize, 9, 2);
        check(usize::MAX, 9, 10);
        check(-64isize, 9, 1);
        check(isize::MIN, isize::MAX, 10);
        check('ß', 'a', 2);
        check(true, false, 1);
        check((), (), 0);
        check((1u8, 'x', vec![true, false]), (2, 'y', vec![]), 5);
        check([1u16, 2, 3], [0; 3], 6);
        check(vec![vec![1u8], vec![], vec![2, 3]], vec![vec![9; 9]; 9], 7);
        check(VecDeque::from([1u8, 2]), VecDeque::new(), 3);
        check(String::from("tick"), String::new(), 5);
        check(Box::new(3u32), Box::new(4), 4);
        check(Some(3u8), None, 2);
        check(None, Some(3u8), 1);
        check(Ok::<u8, bool>(3), Err(true), 2);
        check(BTreeSet::from([3u8, 1]), BTreeSet::new(), 3);
        check(BTreeMap::from([(3u8, 'a'), (1, 'b')]), BTreeMap::new(), 5);
    }

    #[test]
    fn hash_tables_have_one_encoding() {
        let encoded = |order: &[u8]| {
            let set: HashSet<u8> = order.iter().copied().collect();
            let map: HashMap<u8, bool> = order.iter().map(|k| (*k, k % 2 == 0)).collect();
            let mut out = Encoder::default();
            (set, map).encode(&mut out);
            out.into_bytes()
        };
        let ascending: Vec<u8> = (0..50).collect();
        let descending: Vec<u8> = (0..50).rev().collect();
        assert_eq!(encoded(&ascending), encoded(&descending));
        let set: HashSet<u8> = HashSet::from([5, 6]);
        check(set, HashSet::new(), 3);
        let map: HashMap<u8, u8> = HashMap::from([(5, 6)]);
        check(map, HashMap::new(), 3);
    }
}
