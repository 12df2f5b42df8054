//! The emulator gives the recorded counts of the models, and the text of their kernels stays what it was.

mod same;

use expect_test::expect;
use ferrospin_gpu::code::Program;
use ferrospin_gpu::device::{Address, Device, Kernel, Trouble};
use ferrospin_gpu::emulate::Emulator;
use ferrospin_gpu::{Memory, Options, Sizes, ptx, search};
use ferrospin_interp::Interp;
use ferrospin_model::ir::Model;
use ferrospin_testkit as testkit;
use same::{Same, check, tiny};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// States of the instances that are searched; `FERROSPIN_STATES` asks for another number.
const STATES_MAX: u64 = 3_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn models() -> Vec<testkit::expectations::Expectation> {
    testkit::expectations::all(&folder()).expect("the models can be read")
}

fn read(name: &Path, defines: &[String]) -> Model {
    let text = std::fs::read_to_string(name).expect("the model can be read");
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    testkit::model(&name.display().to_string(), &text, &defines).expect("it is a model")
}

#[test]
fn counts() {
    let states_max = std::env::var("FERROSPIN_STATES").ok().and_then(|n| n.parse().ok()).unwrap_or(STATES_MAX);
    let (mut same, mut unfit) = (0, Vec::new());
    for (number, e) in (0..).zip(models()) {
        let Some((states, _)) = e.plain_counts() else { continue };
        if states > states_max {
            continue;
        }
        let model = read(&e.model, &e.defines);
        match check(&model, 2 * states_max, tiny(number), number) {
            Ok(Same::Yes(ours)) => {
                assert!(e.verdict != "holds" || ours == states, "{}: {ours} states, {states} recorded", e.name());
                same += 1;
            }
            Ok(Same::TooLarge) => {}
            Ok(Same::Unfit(why)) => unfit.push(format!("{}: {why}", e.name())),
            Err(why) => panic!("{}: {why}", e.name()),
        }
    }
    assert!(same > 3 * unfit.len() && same > 40, "{same} agree; {unfit:#?}");
}

/// An emulator that keeps the text of what is loaded.
struct Reading(Emulator, Vec<String>);

impl Device for Reading {
    fn name(&self) -> String {
        self.0.name()
    }
    fn free_bytes(&mut self) -> Result<u64, Trouble> {
        self.0.free_bytes()
    }
    fn load(&mut self, program: &Program) -> Result<Kernel, Trouble> {
        self.1.push(ptx::print(program));
        self.0.load(program)
    }
    fn unload(&mut self) {
        self.0.unload();
    }
    fn blocks(&mut self, kernel: Kernel) -> Result<u32, Trouble> {
        self.0.blocks(kernel)
    }
    fn allocate(&mut self, bytes: u64) -> Result<Address, Trouble> {
        self.0.allocate(bytes)
    }
    fn free(&mut self, at: Address) {
        self.0.free(at);
    }
    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), Trouble> {
        self.0.clear(at, bytes)
    }
    fn write(&mut self, at: Address, from: &[u64]) -> Result<(), Trouble> {
        self.0.write(at, from)
    }
    fn read(&mut self, at: Address, to: &mut [u64]) -> Result<(), Trouble> {
        self.0.read(at, to)
    }
    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), Trouble> {
        self.0.copy(from, to, bytes)
    }
    fn launch(&mut self, kernel: Kernel, blocks: u32, params: &[u64]) -> Result<Duration, Trouble> {
        self.0.launch(kernel, blocks, params)
    }
}

/// The kernels of a model, as they are loaded.
fn texts(model: Model) -> Vec<String> {
    let model = Arc::new(model);
    let mut device = Reading(Emulator::new(0, 1, 1 << 28), Vec::new());
    let memory = Some(Memory { slots: 1 << 12, queue: 1 << 12, bytes_max: 0, levels: 1 << 12 });
    let sizes = Sizes { threads: 32, blocks_min: 1, ..Sizes::default() };
    let options = Options { memory, sizes, ..Options::default() };
    // Some are too large for so little memory: their text is what counts.
    let _ = search(&mut device, &model, &mut Interp::new(model.clone()), &options, &mut |_| false);
    device.1
}

/// Reads the text as far as it is made here: registers are declared, labels are placed, types fit the operations.
fn read_ptx(text: &str) -> Result<usize, String> {
    let count = |letter: char| -> usize {
        let declared = text.lines().find_map(|l| l.strip_prefix(".reg ")?.split_once(&format!(" %{letter}<")));
        declared.map_or(0, |(_, n)| n.trim_end_matches(">;").parse().unwrap_or(0))
    };
    let declared = [('p', count('p')), ('r', count('r')), ('w', count('w'))];
    let labels: std::collections::HashSet<&str> =
        text.lines().filter_map(|l| l.split_once(':')).map(|(l, _)| l).filter(|l| !l.starts_with('\t')).collect();
    let mut lines = 0;
    for line in text.lines().filter(|l| l.starts_with('\t') && !l.contains('{')) {
        let words: Vec<&str> =
            line.split([' ', '\t', ',', ';', '[', ']', '+', '!', '@']).filter(|w| !w.is_empty()).collect();
        let operation = *words.iter().find(|w| !w.starts_with('%')).unwrap_or(&"");
        for w in &words {
            let Some(name) = w.strip_prefix('%') else { continue };
            let (letter, number) = name.split_at(1);
            let Ok(number) = number.parse::<usize>() else { continue };
            let Some((_, n)) = declared.iter().find(|d| letter.starts_with(d.0)) else {
                return Err(format!("{w} is not declared: {line}"));
            };
            if number >= *n {
                return Err(format!("{w} is not declared: {line}"));
            }
        }
        // The last type of an operation is that of its last operand, but for shifts.
        let last = words.last().and_then(|w| w.strip_prefix('%')).and_then(|w| w.chars().next());
        let ty = operation.rsplit('.').next().unwrap_or("");
        let narrow = ["shl", "shr", "selp"].iter().any(|s| operation.starts_with(s)) || operation == "bra";
        let wanted = match ty {
            "b32" | "u32" | "s32" => Some('r'),
            "b64" | "u64" => Some('w'),
            "pred" => Some('p'),
            _ => None,
        };
        let is_memory = line.trim_end_matches(';').ends_with(']') || operation.starts_with("mov.u");
        if let (Some(last @ ('p' | 'r' | 'w')), Some(wanted)) = (last, wanted)
            && last != wanted
            && !narrow
            && !is_memory
        {
            return Err(format!("a register of another type: {line}"));
        }
        for target in words.iter().filter(|w| w.len() > 1 && matches!(w.as_bytes()[0], b'L' | b'T')) {
            if target[1..].chars().all(|c| c.is_ascii_digit()) && !labels.contains(target) {
                return Err(format!("{target} is not placed: {line}"));
            }
        }
        lines += 1;
    }
    Ok(lines)
}

/// A hash whose values never change (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn texts_stay_what_they_are() {
    let names = [
        "allocator",
        "alternating_bit",
        "anderson",
        "bakery",
        "bakery_broken",
        "barrier",
        "bounded_retransmission",
        "byzantine",
        "clients_servers",
        "consensus_floodset",
        "credit_flow",
        "dekker",
        "echo_election",
        "elevator",
        "file_transfer",
        "fischer",
        "go_back_n",
        "gossip",
        "hyman",
        "lamport_fast",
        "leader_ring_dolev",
    ];
    let mut table = String::new();
    for name in names {
        let texts = texts(read(&folder().join(format!("{name}.pml")), &[]));
        let lines = texts.iter().map(|t| read_ptx(t).expect("it is PTX")).sum::<usize>();
        table += &format!("{name} {lines} {:016x}\n", hash(&texts[0]));
    }
    expect![[r#"
        allocator 1612 8c4ef3ecef15ef9e
        alternating_bit 886 f53a7463dced4813
        anderson 1151 7fca66a81766b226
        bakery 1119 7af6c2038cb8afd6
        bakery_broken 1099 4f3ace3f0b0fd620
        barrier 1367 7f32e13060e03413
        bounded_retransmission 1103 3a2aff5862340e98
        byzantine 3719 79846e51c63c2d82
        clients_servers 714 32f5c1989716ff7e
        consensus_floodset 1315 862f92ea42ae2cf8
        credit_flow 1161 c42c2441e427f35d
        dekker 800 8b79988f10637e07
        echo_election 4190 f5d02460472d77b3
        elevator 1067 5d4b444571e073e6
        file_transfer 2556 a50e67a17a1e40ed
        fischer 903 16ee8b8ef0dc357b
        go_back_n 1080 7f1a3665deaddf52
        gossip 887 3215e4349b1e08c0
        hyman 716 f4535256c98cb141
        lamport_fast 969 2c7318330a32ab6a
        leader_ring_dolev 1981 87bf26037607231a
    "#]]
    .assert_eq(&table);
}

#[test]
fn the_text_of_a_small_kernel() {
    let model = testkit::model("m.pml", "byte x; active proctype P() { do :: x = 1 - x od }", &[]).expect("a model");
    let texts = texts(model);
    let fill = texts.iter().find(|t| t.contains(".entry fill")).expect("there is one");
    expect![[r#"
        .version 7.0
        .target sm_70
        .address_size 64
        .visible .entry fill(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, .param .u64 p5, .param .u64 p6)
        .maxntid 32, 1, 1
        .minnctapersm 2
        {
        .reg .pred %p<6>;
        .reg .b32 %r<7>;
        .reg .b64 %w<29>;
        	mov.u32 %r0, %tid.x;
        	mov.u32 %r1, %ctaid.x;
        	mov.u32 %r2, %nctaid.x;
        	mul.lo.u32 %r3, %r1, 32;
        	add.u32 %r4, %r3, %r0;
        	mul.lo.u32 %r5, %r2, 32;
        	cvt.u64.u32 %w0, %r4;
        	cvt.u64.u32 %w1, %r5;
        	ld.param.u64 %w2, [p5];
        	add.u64 %w3, %w0, %w2;
        	ld.param.u64 %w4, [p6];
        	ld.param.u64 %w5, [p0];
        	ld.param.u64 %w6, [p1];
        	ld.param.u64 %w7, [p2];
        L0:
        	setp.ge.u64 %p0, %w3, %w4;
        	@%p0 bra L1;
        	ld.param.u64 %w8, [p3];
        	ld.param.u64 %w9, [p4];
        	and.b64 %w10, %w3, %w9;
        	mul.lo.u64 %w11, %w10, 0x8;
        	add.u64 %w12, %w11, %w8;
        	ld.relaxed.gpu.global.u64 %w13, [%w12];
        	or.b64 %w14, %w13, 0x8000000000000000;
        	shr.u64 %w15, %w13, 32;
        	xor.b64 %w16, %w13, %w15;
        	mul.lo.u64 %w17, %w16, 0xd6e8feb86659fd93;
        	shr.u64 %w18, %w17, 32;
        	xor.b64 %w19, %w17, %w18;
        	mul.lo.u64 %w20, %w19, 0xd6e8feb86659fd93;
        	shr.u64 %w21, %w20, 32;
        	xor.b64 %w22, %w20, %w21;
        	and.b64 %w23, %w22, %w7;
        	mov.b32 %r6, 0;
        L2:
        	shl.b64 %w24, %w23, 3;
        	add.u64 %w25, %w24, %w6;
        	ld.relaxed.gpu.global.u64 %w26, [%w25];
        	setp.eq.u64 %p1, %w26, %w14;
        	@%p1 bra L5;
        	setp.ne.u64 %p2, %w26, 0x0;
        	@%p2 bra L3;
        	atom.relaxed.gpu.global.cas.b64 %w27, [%w25], 0x0, %w14;
        	setp.eq.u64 %p3, %w27, 0x0;
        	@%p3 bra L5;
        	setp.eq.u64 %p4, %w27, %w14;
        	@%p4 bra L5;
        L3:
        	add.u64 %w28, %w23, 0x1;
        	and.b64 %w23, %w28, %w7;
        	add.u32 %r6, %r6, 1;
        	setp.lt.u32 %p5, %r6, 20000;
        	@%p5 bra L2;
        	st.global.u64 [%w5+64], 0x2;
        L5:
        	add.u64 %w3, %w3, %w1;
        	bra L0;
        L1:
        	ret;
        }
    "#]].assert_eq(fill);
}
