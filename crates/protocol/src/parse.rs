//! The parser of `.proto` files.
//!
//! ```text
//! file      ::= "protocol" NAME "{" { item } "}" [ "session" "{" { play } "}" ]
//! item      ::= ("role" | "server" | "const" | "hash" | "public") NAME { "," NAME } ";"
//!             | "fresh" NAME ":" KIND NAME { "," [KIND] NAME } ";"
//!             | "knows" NAME { "," NAME } ":" terms ";"
//!             | [ number "." ] NAME "->" NAME ":" terms ";"
//!             | "secret" NAME { "," NAME } [ "for" NAME { "," NAME } ] ";"
//!             | "agree" [ "injective" ] NAME "with" NAME [ "on" NAME { "," NAME } ] ";"
//!             | "alive" NAME "for" NAME ";" | "fresh" NAME "for" NAME ";" | "lose" NAME ";"
//! play      ::= "honest" NAME { "," NAME } ";" | "extra" number ";"
//!             | "run" NAME "(" NAME ")" [ "*" number ] { "," ... } ";"
//! terms     ::= term { "," term }
//! term      ::= "{" terms "}" key | "(" terms ")" | NAME [ "(" terms ")" ]
//! key       ::= "(" terms ")" | NAME [ "(" terms ")" ]
//! ```

use crate::syntax::{Expr, ExprKind, File, Fresh, Message, Name, Session, Statement};
use ferrospin_source::lex::{Cursor, Kind, Lexicon, Parsed};
use ferrospin_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

const LEXICON: Lexicon = Lexicon { marks: &["->", "{", "}", "(", ")", ",", ";", ":", ".", "*"], ..Lexicon::C_LIKE };

/// Words with which an item begins, where a mistake is behind.
const ITEMS: [&str; 14] = [
    "role", "server", "const", "hash", "public", "fresh", "knows", "secret", "agree", "alive", "lose", "protocol",
    "session", ";",
];

/// Words that are no names.
const KEYWORDS: [&str; 4] = ["protocol", "session", "with", "for"];

/// Reads a file.
pub(crate) fn parse(map: &SourceMap, file: FileId) -> (File, Diagnostics) {
    let text = map.text(file).clone();
    let mut c = Cursor::new(map, file, &text, &LEXICON);
    let mut file = File::default();
    let _ = protocol(&mut c, &mut file);
    while !c.is_at_end() && !c.said.has_errors() {
        if c.at("session") {
            let _ = session(&mut c, &mut file);
        } else {
            let _ = c.unexpected("`session` or the end of the file", "");
        }
    }
    (file, c.said)
}

fn protocol(c: &mut Cursor<'_>, file: &mut File) -> Parsed<()> {
    c.expect("protocol", "at the beginning")?;
    file.name = Some(name(c, "the name of the protocol")?);
    c.expect("{", "behind the name")?;
    while !c.at("}") && !c.is_at_end() {
        if item(c, file).is_err() {
            let before = c.peek().span;
            c.skip_to(&ITEMS);
            if c.peek().span == before || c.at(";") {
                c.bump();
            }
        }
    }
    c.expect("}", "at the end of the protocol").map(drop)
}

fn name(c: &mut Cursor<'_>, what: &str) -> Parsed<Name> {
    if KEYWORDS.iter().any(|k| c.at(k)) {
        return Err(c.unexpected(what, ""));
    }
    let token = c.word(what)?;
    Ok(Name { text: token.text.into(), span: token.span })
}

fn names(c: &mut Cursor<'_>, what: &str) -> Parsed<Vec<Name>> {
    let mut list = vec![name(c, what)?];
    while c.eat(",").is_some() {
        list.push(name(c, what)?);
    }
    Ok(list)
}

fn end(c: &mut Cursor<'_>) -> Parsed<()> {
    c.expect(";", "at the end").map(drop)
}

fn item(c: &mut Cursor<'_>, file: &mut File) -> Parsed<()> {
    let first = c.peek();
    let is_message = c.peek_nth(1).is("->") || first.kind == Kind::Number;
    if !is_message {
        match first.text {
            "role" | "server" if first.kind == Kind::Word => {
                c.bump();
                let roles = names(c, "the name of a role")?;
                file.roles.extend(roles.into_iter().map(|r| (r, first.text == "server")));
                return end(c);
            }
            "const" | "hash" | "public" if first.kind == Kind::Word => {
                c.bump();
                let list = names(c, "a name")?;
                match first.text {
                    "const" => file.constants.extend(list),
                    "hash" => file.functions.extend(list),
                    _ => file.statements.push(Statement::Public(list)),
                }
                return end(c);
            }
            "fresh" => {
                c.bump();
                return fresh(c, file, first.span);
            }
            "knows" => {
                c.bump();
                let roles = names(c, "the name of a role")?;
                c.expect(":", "behind the roles")?;
                let term = terms(c)?;
                file.knows.extend(roles.into_iter().map(|r| (r, term.clone())));
                return end(c);
            }
            "secret" | "agree" | "alive" | "lose" => {
                c.bump();
                let statement = statement(c, first.text, first.span)?;
                file.statements.push(statement);
                return end(c);
            }
            _ => {}
        }
    }
    if c.peek().kind == Kind::Number {
        c.number("the number of a message")?;
        c.expect(".", "behind the number of a message")?;
    }
    let from = name(c, "a role or a statement")?;
    c.expect("->", "behind the sender")?;
    let to = name(c, "the receiver")?;
    c.expect(":", "behind the receiver")?;
    let term = terms(c)?;
    end(c)?;
    file.messages.push(Message { from, to, term });
    Ok(())
}

fn fresh(c: &mut Cursor<'_>, file: &mut File, span: Span) -> Parsed<()> {
    let first = name(c, "a role or a value")?;
    if c.eat("for").is_some() {
        let role = name(c, "the name of a role")?;
        file.statements.push(Statement::Unique { value: first, role, span });
        return end(c);
    }
    c.expect(":", "behind the role")?;
    let mut kind = name(c, "`nonce`, `key` or a type")?;
    loop {
        let mut value = name(c, "the name of a value")?;
        if c.peek().kind == Kind::Word {
            kind = std::mem::replace(&mut value, name(c, "the name of a value")?);
        }
        file.fresh.push(Fresh { role: first.clone(), kind: kind.clone(), name: value });
        if c.eat(",").is_none() {
            return end(c);
        }
    }
}

fn statement(c: &mut Cursor<'_>, word: &str, span: Span) -> Parsed<Statement> {
    let role = "the name of a role";
    Ok(match word {
        "secret" => {
            let values = names(c, "the name of a value")?;
            let roles = if c.eat("for").is_some() { names(c, role)? } else { Vec::new() };
            Statement::Secret { values, roles, span }
        }
        "agree" => {
            let injective = c.at("injective") && !c.peek_nth(1).is("with") && c.eat("injective").is_some();
            let first = name(c, role)?;
            c.expect("with", "behind the role")?;
            let with = name(c, role)?;
            let values = if c.eat("on").is_some() { names(c, "the name of a value")? } else { Vec::new() };
            Statement::Agree { role: first, with, values, injective, span }
        }
        "alive" => {
            let who = name(c, role)?;
            c.expect("for", "behind the role")?;
            Statement::Alive { who, role: name(c, role)?, span }
        }
        _ => Statement::Lose(name(c, "the name of a value")?),
    })
}

/// Several terms are a pair of the first and the rest.
fn terms(c: &mut Cursor<'_>) -> Parsed<Expr> {
    let mut list = vec![term(c)?];
    while c.eat(",").is_some() {
        list.push(term(c)?);
    }
    Ok(joined(list))
}

fn joined(mut list: Vec<Expr>) -> Expr {
    match list.len() {
        1 => list.remove(0),
        n => {
            let span = Span { hi: list[n - 1].span.hi, ..list[0].span };
            Expr { kind: ExprKind::List(list), span }
        }
    }
}

fn term(c: &mut Cursor<'_>) -> Parsed<Expr> {
    c.deeper(|c| {
        let start = c.peek().span;
        if c.eat("{").is_some() {
            let body = terms(c)?;
            c.expect("}", "behind what is encrypted")?;
            let key = key(c)?;
            let span = Span { hi: key.span.hi, ..start };
            return Ok(Expr { kind: ExprKind::Encrypted(Box::new(body), Box::new(key)), span });
        }
        key(c)
    })
}

fn key(c: &mut Cursor<'_>) -> Parsed<Expr> {
    c.deeper(|c| {
        if c.eat("(").is_some() {
            let inner = terms(c)?;
            c.expect(")", "")?;
            return Ok(inner);
        }
        let first = name(c, "a term")?;
        if !c.at("(") {
            return Ok(Expr { span: first.span, kind: ExprKind::Name(first.text) });
        }
        let arguments = c.list(["(", ",", ")"], term)?;
        let span = Span { hi: c.behind().lo, ..first.span };
        Ok(Expr { span, kind: ExprKind::Call(first, arguments) })
    })
}

fn session(c: &mut Cursor<'_>, file: &mut File) -> Parsed<()> {
    let token = c.expect("session", "")?;
    if file.session.is_some() {
        c.say(Diagnostic::error("twice", token.span, "there is a block `session` already"));
    }
    c.expect("{", "")?;
    let mut session = Session::default();
    while c.eat("}").is_none() {
        if c.eat("honest").is_some() {
            session.honest.extend(names(c, "the name of an agent")?);
        } else if c.eat("extra").is_some() {
            session.extra = c.number("a number of sessions")?.0;
        } else if c.eat("run").is_some() {
            loop {
                let role = name(c, "the name of a role")?;
                c.expect("(", "behind the role")?;
                let agent = name(c, "the name of an agent")?;
                c.expect(")", "behind the agent")?;
                let count = if c.eat("*").is_some() { c.number("a number of sessions")?.0 } else { 1 };
                session.run.push((role, agent, count));
                if c.eat(",").is_none() {
                    break;
                }
            }
        } else {
            return Err(c.unexpected("`honest`, `run`, `extra` or `}`", ""));
        }
        end(c)?;
    }
    file.session = Some(session);
    Ok(())
}
