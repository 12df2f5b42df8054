//! Tests of the whole crate on one small run.

use crate::chart::Chart;
use crate::story::{self, Style};
use crate::trail::{Act, Actor, Change, Event, Message, MoveRecord, Place, SCHEMA, Standing, Step, Trail, Violation};
use crate::{chart_svg, chart_text, spin};
use expect_test::expect;
use ferrospin_system::Move;

fn actor(number: u8) -> Actor {
    Actor { number, name: ["Ping", "Pong"][usize::from(number)].into() }
}

fn act(process: u8, line: u32, statement: &str, spin: u32) -> Option<Act> {
    let location = Some(Place { file: "m.pml".into(), line, column: 1 });
    Some(Act { process: Some(actor(process)), location, statement: statement.into(), spin: Some(spin) })
}

fn step(process: u8, line: u32, statement: &str, events: Vec<Event>) -> Step {
    Step {
        mv: Move::single(process, line).into(),
        act: act(process, line, statement, line),
        partner: None,
        claim: None,
        atomic: false,
        changes: Vec::new(),
        events,
        failure: None,
    }
}

/// A snapshot loses the indentation that all its lines share; the mark in front has none.
fn marked(text: String) -> String {
    format!("left margin\n{text}")
}

fn message(process: u8, text: &str) -> Message {
    Message { process: actor(process), channel: "q".into(), message: text.into() }
}

fn sample() -> Trail {
    let mut run = step(0, 3, "run Pong()", vec![Event::Started { process: actor(1) }]);
    run.changes.push(Change { process: None, name: "x".into(), before: Some("0".into()), after: "1".into() });
    let mut shake = step(1, 8, "r!1", vec![]);
    shake.partner = act(0, 9, "r?x", 9);
    let (channel, message_text) = ("r".to_string(), "1".to_string());
    shake.events.push(Event::Handshake { sender: actor(1), receiver: actor(0), channel, message: message_text });
    let mut last = step(0, 10, "assert(false)", vec![]);
    last.failure = Some("assertion violated".into());
    Trail {
        ferrospin: "0.1.0".into(),
        schema: SCHEMA,
        model: "m.pml".into(),
        fingerprint: "00ff".into(),
        options: vec!["-DN=2".into()],
        property: None,
        violation: Some(Violation { kind: "assertion".into(), message: "assertion violated".into(), location: None }),
        explanation: None,
        loop_start: None,
        start: vec![actor(0)],
        steps: vec![
            run,
            step(0, 4, "q!<&>", vec![Event::Sent(message(0, "<&>"))]),
            step(0, 5, "q!b", vec![Event::Sent(message(0, "b"))]),
            step(1, 6, "q??b", vec![Event::Received(message(1, "b"))]),
            step(1, 7, "printf", vec![Event::Printed { process: actor(1), text: "hello\nyou\n".into() }]),
            shake,
            step(1, 11, "end of the process", vec![Event::Ended { process: actor(1) }]),
            last,
        ],
        standing: vec![Standing {
            process: actor(0),
            location: None,
            statement: "assert(false)".into(),
            may_stop: false,
        }],
        values: Vec::new(),
    }
}

#[test]
fn what_is_written_is_read_again() {
    let trail = sample();
    let text = trail.to_json();
    assert_eq!(Trail::from_json(&text).unwrap(), trail);
    assert_eq!(text.lines().filter(|l| l.contains("\"move\"")).count(), trail.steps.len(), "one line for each step");
    let empty = Trail { steps: Vec::new(), ..trail };
    assert_eq!(Trail::from_json(&empty.to_json()).unwrap(), empty);
}

#[test]
fn moves_keep_all_their_indices() {
    let full = Move { process: 1, partner: 2, edge: 3, partner_edge: 4, property: 5, timeout: true, stutter: true };
    for mv in [full, Move::single(0, 0)] {
        let text = serde_json::to_string(&MoveRecord::from(mv)).unwrap();
        let again: MoveRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(Move::from(again), mv, "{text}");
    }
}

#[test]
fn what_is_no_trail_is_refused() {
    let refusal = |text: &str| Trail::from_json(text).unwrap_err().to_string();
    expect!["it is not JSON: EOF while parsing an object at line 1 column 1"].assert_eq(&refusal("{"));
    expect!["it is not a trail: there is no `schema` in it"].assert_eq(&refusal("{}"));
    expect!["it has version 7 of the trail format, this program reads version 1"]
        .assert_eq(&refusal("{\"schema\": 7}"));
    expect!["it is not a trail: missing field `ferrospin`"].assert_eq(&refusal("{\"schema\": 1}"));
}

#[test]
fn told_step_by_step() {
    expect![[r#"
        left margin
          1  Ping[0]  line 3   run Pong()          x: 0 -> 1
             Pong[1] starts
          2  Ping[0]  line 4   q!<&>
          3  Ping[0]  line 5   q!b
          4  Pong[1]  line 6   q??b
          5  Pong[1]  line 7   printf
             | hello
             | you
          6  Pong[1]  line 8   r!1
             Ping[0]  line 9   r?x
          7  Pong[1]  line 11  end of the process
          8  Ping[0]  line 10  assert(false)
             ! assertion violated
        assertion violated, after 8 steps
            Ping[0]: assert(false)
    "#]]
    .assert_eq(&marked(story::steps(&sample(), Style::default()) + &story::ending(&sample())));
}

#[test]
fn the_middle_of_a_long_story_is_left_out() {
    let looping = Trail { loop_start: Some(6), ..sample() };
    expect![[r#"
        left margin
            1  Ping[0]  line 3   run Pong()          x: 0 -> 1
               Pong[1] starts
          ...  4 left out, `replay` shows them
            6  Pong[1]  line 8   r!1
               Ping[0]  line 9   r?x
          the steps from here on repeat for ever:
            7  Pong[1]  line 11  end of the process
            8  Ping[0]  line 10  assert(false)
               ! assertion violated
    "#]]
    .assert_eq(&marked(story::steps(&looping, Style { steps_max: 4, indent: "  ", ..Style::default() })));
}

#[test]
fn drawn_as_text() {
    expect![[r#"
        left margin
             Ping[0]
          1  |----run---->Pong[1]
          2  | q!<&> (1)  |
          3  | q!b (2)    |
          4  |            | q?b (2)
          5  |            | "hello"
          5  |            | "you"
          6  |<---r!1-----|
          7  |            x
             assertion violated
    "#]]
    .assert_eq(&marked(chart_text::draw(&Chart::new(&sample()))));
    expect![[r#"
        left margin

    "#]]
    .assert_eq(&marked(chart_text::draw(&Chart::default())));
}

/// Where a cycle begins is seen in both.
#[test]
fn a_cycle_is_marked() {
    let looping = |at| Chart::new(&Trail { loop_start: Some(at), ..sample() });
    expect![[r#"
        left margin
             Ping[0]
          1  |----run---->Pong[1]
          2  | q!<&> (1)  |
          3  | q!b (2)    |
          4  |            | q?b (2)
          5  |            | "hello"
          5  |            | "you"
          6  |<---r!1-----|
             -- from here on it repeats for ever --
          7  |            x
             assertion violated
    "#]]
    .assert_eq(&marked(chart_text::draw(&looping(6))));
    assert!(chart_text::draw(&looping(sample().steps.len())).contains("repeats for ever"), "a run that stops");
    assert_eq!(chart_svg::draw(&looping(6)).matches("class=\"cycle\"").count(), 1);
    assert_eq!(chart_svg::draw(&Chart::new(&sample())).matches("class=\"cycle\"").count(), 0);
}

#[test]
fn drawn_as_svg() {
    let svg = chart_svg::draw(&Chart::new(&sample()));
    assert!(svg.contains("q!&lt;&amp;&gt;"), "text is escaped");
    assert_eq!(svg.matches("class=\"lost\"").count(), 1, "one message is never received");
    assert_eq!(svg.matches("class=\"message\"").count(), 2);
    assert_eq!(svg.matches("class=\"handshake\"").count(), 1);
    assert_eq!(svg.matches("class=\"box\"").count(), 2, "a head for each lane");
}

#[test]
fn written_for_spin() {
    expect![[r#"
        0:0:3
        1:0:4
        2:0:5
        3:1:6
        4:1:7
        5:1:8
        6:0:9
        -1:-1:-1
        7:1:11
        8:0:10
    "#]]
    .assert_eq(&spin::write(&Trail { loop_start: Some(6), ..sample() }, None).unwrap());
    let mut unknown = sample();
    unknown.steps[2].act.as_mut().unwrap().spin = None;
    expect!["the number that SPIN gives to `q!b` is not known"]
        .assert_eq(&spin::write(&unknown, None).unwrap_err().to_string());
    let mut claimed = sample();
    claimed.steps.truncate(2);
    claimed.steps[1].claim = Some(Act { process: None, location: None, statement: "x".into(), spin: Some(70) });
    expect![[r#"
        -2:2:-2
        0:1:3
        1:0:70
        2:1:4
    "#]]
    .assert_eq(&spin::write(&claimed, Some(2)).unwrap());
}
