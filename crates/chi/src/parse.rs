//! The parser of `.chi` files.
//!
//! ```text
//! file    ::= { "var" decl {"," decl} ";" | "chan" decl {"," decl} ";"
//!             | "proc" NAME [ "(" NAME {"," NAME} ")" ] "{" process "}" } "model" "{" process "}"
//! decl    ::= NAME [":" type] ["=" expression]            type ::= "int" | "bool" | number ".." number
//! process ::= choice { "||" choice }                      choice ::= sequence { "[]" sequence }
//! sequence ::= guarded { ";" guarded }                    guarded ::= expression ":->" guarded | primary { "*" }
//! primary ::= "delta" | "eps" | "skip" | NAME ":=" expression | NAME "!" expression | NAME "?" NAME
//!           | NAME [ "(" expression {"," expression} ")" ] | "(" process ")" | "enc" "(" process ")"
//!           | "|[" decl {"," decl} "|" process "]|"
//! ```
//!
//! Whether a guard begins is decided by looking ahead for `:->` before anything that ends an expression.

use crate::syntax::{Declaration, Definition, Expr, ExprKind, File, Name, Proc};
use crate::term::{Binary, Type};
use ferrospin_source::lex::{Cursor, Failed, Kind, Lexicon, Parsed};
use ferrospin_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

const LEXICON: Lexicon = Lexicon {
    marks: &[
        "|[", "]|", "||", "|", "[]", ":->", ":=", ":", "..", "==", "=", "!=", "<=", ">=", "<", ">", "!", "?", "+", "-",
        "*", "/", "%", "&&", "(", ")", "{", "}", ",", ";",
    ],
    ..Lexicon::C_LIKE
};

/// Words that are no names.
const KEYWORDS: [&str; 15] =
    ["var", "chan", "proc", "model", "int", "bool", "true", "false", "and", "or", "not", "delta", "eps", "skip", "enc"];

/// Reads a file.
pub(crate) fn parse(map: &SourceMap, file: FileId) -> (File, Diagnostics) {
    let text = map.text(file).clone();
    let mut c = Cursor::new(map, file, &text, &LEXICON);
    let file = whole_file(&mut c);
    (file, c.said)
}

fn whole_file(c: &mut Cursor<'_>) -> File {
    let mut file = File::default();
    while !c.is_at_end() {
        if item(c, &mut file).is_err() {
            let before = c.peek().span;
            c.skip_to(&["var", "chan", "proc", "model"]);
            if c.at("}") || c.peek().span == before {
                c.bump();
            }
        }
    }
    if file.model.is_none() && !c.said.has_errors() {
        let note = "a model is written `model { enc( ... ) }`";
        c.say(Diagnostic::error("no-model", c.peek().span, "there is no model").note(note));
    }
    file
}

fn item(c: &mut Cursor<'_>, file: &mut File) -> Parsed<()> {
    if c.eat("var").is_some() {
        declarations(c, &mut file.variables)
    } else if c.eat("chan").is_some() {
        declarations(c, &mut file.channels)
    } else if c.eat("proc").is_some() {
        let name = identifier(c, "the name of a process")?;
        let parameters = match c.at("(") {
            true => c.list(["(", ",", ")"], |c| identifier(c, "the name of a parameter"))?,
            false => Vec::new(),
        };
        let body = block(c)?;
        file.definitions.push(Definition { name, parameters, body });
        Ok(())
    } else if let Some(word) = c.eat("model") {
        let body = block(c)?;
        match file.model {
            None => file.model = Some((body, word.span)),
            Some((_, first)) => {
                let twice = Diagnostic::error("two-models", word.span, "there is a model already");
                c.say(twice.also(first, "this one"));
            }
        }
        Ok(())
    } else {
        Err(c.unexpected("`var`, `chan`, `proc` or `model`", ""))
    }
}

fn block(c: &mut Cursor<'_>) -> Parsed<Proc> {
    c.expect("{", "")?;
    let body = process(c)?;
    c.expect("}", "behind the process")?;
    Ok(body)
}

fn declarations(c: &mut Cursor<'_>, all: &mut Vec<Declaration>) -> Parsed<()> {
    loop {
        all.push(declaration(c)?);
        if c.eat(",").is_none() {
            c.expect(";", "behind the declaration")?;
            return Ok(());
        }
    }
}

fn declaration(c: &mut Cursor<'_>) -> Parsed<Declaration> {
    let name = identifier(c, "a name")?;
    let ty = match c.eat(":") {
        Some(_) => Some(ty(c)?),
        None => None,
    };
    let value = match c.eat("=") {
        Some(_) => Some(expression(c)?),
        None => None,
    };
    Ok(Declaration { name, ty, value })
}

fn ty(c: &mut Cursor<'_>) -> Parsed<(Type, Option<(i32, i32)>)> {
    if c.eat("int").is_some() {
        return Ok((Type::Int, None));
    }
    if c.eat("bool").is_some() {
        return Ok((Type::Bool, None));
    }
    let first = c.peek().span;
    if !c.at("-") && c.peek().kind != Kind::Number {
        return Err(c.unexpected("`int`, `bool` or a range such as `0..3`", ""));
    }
    let low = bound(c)?;
    c.expect("..", "in the range")?;
    let high = bound(c)?;
    let span = joined(first, c.behind());
    if low > high || i64::from(high) - i64::from(low) >= RANGE_MAX {
        let why = format!("a range has from 1 to {RANGE_MAX} values, the smallest first");
        c.say(Diagnostic::error("range", span, why));
        return Err(Failed);
    }
    Ok((Type::Int, Some((low, high))))
}

fn bound(c: &mut Cursor<'_>) -> Parsed<i32> {
    let minus = c.eat("-").is_some();
    let (number, span) = c.number("a number")?;
    let number = i64::from(number);
    i32::try_from(if minus { -number } else { number }).map_err(|_| {
        c.say(Diagnostic::error("too-large", span, "this number does not fit into 32 bits"));
        Failed
    })
}

fn identifier(c: &mut Cursor<'_>, what: &str) -> Parsed<Name> {
    let next = c.peek();
    if KEYWORDS.contains(&next.text) {
        return Err(c.unexpected(what, ""));
    }
    let token = c.word(what)?;
    Ok(Name { text: token.text.to_owned(), span: token.span })
}

/// Operands between one sign.
fn chain(
    c: &mut Cursor<'_>,
    sign: &str,
    read: impl Fn(&mut Cursor<'_>) -> Parsed<Proc>,
    make: fn(Vec<Proc>) -> Proc,
) -> Parsed<Proc> {
    let first = read(c)?;
    if !c.at(sign) {
        return Ok(first);
    }
    let mut all = vec![first];
    while c.eat(sign).is_some() {
        all.push(read(c)?);
    }
    Ok(make(all))
}

fn process(c: &mut Cursor<'_>) -> Parsed<Proc> {
    chain(c, "||", choice, Proc::Parallel)
}

fn choice(c: &mut Cursor<'_>) -> Parsed<Proc> {
    chain(c, "[]", sequence, Proc::Choice)
}

fn sequence(c: &mut Cursor<'_>) -> Parsed<Proc> {
    chain(c, ";", guarded, Proc::Sequence)
}

fn guarded(c: &mut Cursor<'_>) -> Parsed<Proc> {
    if !begins_guard(c) {
        let mut process = primary(c)?;
        let mut stars = 0;
        while c.eat("*").is_some() {
            // `p**` is `p*`; a thousand stars must not make a thousand levels.
            stars += 1;
            if stars == 1 {
                process = Proc::Repeat(Box::new(process));
            }
        }
        return Ok(process);
    }
    let guard = expression(c)?;
    c.expect(":->", "behind the guard")?;
    let body = c.deeper(guarded)?;
    Ok(Proc::Guard(guard, Box::new(body)))
}

/// Whether `:->` comes before anything that is no part of an expression.
fn begins_guard(c: &Cursor<'_>) -> bool {
    let mut open = 0usize;
    for n in 0.. {
        let token = c.peek_nth(n);
        if token.kind == Kind::End {
            return false;
        }
        if open == 0 && token.is(":->") {
            return true;
        }
        if token.is("(") {
            open += 1;
        } else if token.is(")") {
            let Some(rest) = open.checked_sub(1) else { return false };
            open = rest;
        } else if open == 0
            && [";", "[]", "||", "|", "]|", "|[", ":=", "?", "!", "}", "{", ","].iter().any(|m| token.is(m))
        {
            return false;
        }
    }
    false
}

fn primary(c: &mut Cursor<'_>) -> Parsed<Proc> {
    let token = c.peek();
    if c.eat("delta").is_some() {
        return Ok(Proc::Delta);
    }
    if c.eat("eps").is_some() {
        return Ok(Proc::Epsilon);
    }
    if c.eat("skip").is_some() {
        return Ok(Proc::Skip);
    }
    if c.eat("enc").is_some() {
        c.expect("(", "behind `enc`")?;
        let inner = c.deeper(process)?;
        c.expect(")", "")?;
        return Ok(Proc::Encapsulate(Box::new(inner)));
    }
    if c.eat("(").is_some() {
        let inner = c.deeper(process)?;
        c.expect(")", "")?;
        return Ok(inner);
    }
    if c.eat("|[").is_some() {
        let mut declared = vec![declaration(c)?];
        while c.eat(",").is_some() {
            declared.push(declaration(c)?);
        }
        c.expect("|", "behind the variables of the scope")?;
        let inner = c.deeper(process)?;
        c.expect("]|", "at the end of the scope")?;
        return Ok(Proc::Scope(declared, Box::new(inner)));
    }
    if token.kind != Kind::Word || KEYWORDS.contains(&token.text) {
        return Err(c.unexpected("a process", ""));
    }
    let name = identifier(c, "a name")?;
    if c.eat(":=").is_some() {
        return Ok(Proc::Assign(name, expression(c)?));
    }
    if c.eat("!").is_some() {
        return Ok(Proc::Send(name, expression(c)?));
    }
    if c.eat("?").is_some() {
        return Ok(Proc::Receive(name, identifier(c, "a variable")?));
    }
    let arguments = match c.at("(") {
        true => c.list(["(", ",", ")"], expression)?,
        false => Vec::new(),
    };
    Ok(Proc::Call(name, arguments))
}

fn expression(c: &mut Cursor<'_>) -> Parsed<Expr> {
    c.deeper(|c| operands(c, 0))
}

/// Operators that bind at least so tightly.
fn operands(c: &mut Cursor<'_>, least: u8) -> Parsed<Expr> {
    let mut left = operand(c)?;
    let mut count = 0;
    while let Some((op, level)) = operator(c) {
        if level < least || op == Binary::Times && !is_times(c) {
            break;
        }
        c.bump();
        count += 1;
        if count > OPERATORS_MAX {
            return Err(c.unexpected("a shorter expression", ""));
        }
        let right = operands(c, level + 1)?;
        let span = joined(left.span, right.span);
        left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        if level == COMPARISON && operator(c).is_some_and(|(_, next)| next == COMPARISON) {
            return Err(c.unexpected("a comparison of two values only", "without parentheses"));
        }
    }
    Ok(left)
}

fn operator(c: &Cursor<'_>) -> Option<(Binary, u8)> {
    let token = c.peek();
    let found = [
        ("or", Binary::Or, 0),
        ("and", Binary::And, 1),
        ("&&", Binary::And, 1),
        ("=", Binary::Equal, COMPARISON),
        ("==", Binary::Equal, COMPARISON),
        ("!=", Binary::Different, COMPARISON),
        ("<", Binary::Less, COMPARISON),
        ("<=", Binary::LessEqual, COMPARISON),
        (">", Binary::Greater, COMPARISON),
        (">=", Binary::GreaterEqual, COMPARISON),
        ("+", Binary::Plus, 3),
        ("-", Binary::Minus, 3),
        ("*", Binary::Times, 4),
        ("/", Binary::Divide, 4),
        ("%", Binary::Modulo, 4),
    ];
    found.into_iter().find(|(sign, ..)| token.is(sign)).map(|(_, op, level)| (op, level))
}

/// Whether a star is followed by an operand; behind a process it repeats.
fn is_times(c: &Cursor<'_>) -> bool {
    let next = c.peek_nth(1);
    next.kind == Kind::Number
        || next.is("(")
        || next.is("-")
        || next.kind == Kind::Word && !next.is("or") && !next.is("and")
}

fn operand(c: &mut Cursor<'_>) -> Parsed<Expr> {
    let token = c.peek();
    let wrap = |c: &Cursor<'_>, kind| Expr { kind, span: joined(token.span, c.behind()) };
    if c.eat("not").is_some() || c.eat("!").is_some() {
        let inner = c.deeper(operand)?;
        return Ok(wrap(c, ExprKind::Not(Box::new(inner))));
    }
    if c.eat("-").is_some() {
        let inner = c.deeper(operand)?;
        return Ok(wrap(c, ExprKind::Negative(Box::new(inner))));
    }
    if c.eat("(").is_some() {
        let inner = expression(c)?;
        c.expect(")", "")?;
        return Ok(inner);
    }
    for (word, value) in [("true", true), ("false", false)] {
        if c.eat(word).is_some() {
            return Ok(Expr { kind: ExprKind::Truth(value), span: token.span });
        }
    }
    if token.kind == Kind::Number {
        let (number, span) = c.number("a number")?;
        return Ok(Expr { kind: ExprKind::Number(number), span });
    }
    if token.kind != Kind::Word || KEYWORDS.contains(&token.text) {
        return Err(c.unexpected("an expression", ""));
    }
    let name = identifier(c, "a name")?;
    Ok(Expr { kind: ExprKind::Name(name.text), span: name.span })
}

/// The level of comparisons.
const COMPARISON: u8 = 2;
/// Values that a range may have.
const RANGE_MAX: i64 = 4096;
/// Operators that may stand in a row in one expression.
const OPERATORS_MAX: usize = 1000;

/// From the beginning of one place to the end of another.
fn joined(from: Span, to: Span) -> Span {
    Span { hi: to.hi, ..from }
}
