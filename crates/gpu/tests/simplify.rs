//! How programs are shortened before they are printed.

use expect_test::{Expect, expect};
use ferrospin_gpu::code::{Builder, Label, Math, Op, Reg, Relation, Space, Type};
use ferrospin_gpu::{ptx, validate};

/// The lines of a program's body.
fn check(build: impl FnOnce(&mut Builder), expected: Expect) {
    let mut b = Builder::default();
    build(&mut b);
    let program = b.finish("k", 1, 64, 32, 1);
    validate::check(&program).expect("it is a program");
    let text = ptx::print(&program);
    let body = text.lines().skip_while(|l| !l.contains("%base, block")).skip(1).take_while(|l| *l != "}");
    expected.assert_eq(&body.map(|l| format!("{}\n", l.trim())).collect::<String>());
}

fn word(b: &mut Builder, at: u32) -> Reg {
    b.load(Type::Word, Space::Shared, 0, at)
}

#[test]
fn what_nothing_reaches_is_dropped_and_jumps_go_straight() {
    check(
        |b| {
            let (first, second, end) = (b.label(), b.label(), b.label());
            let x = word(b, 0);
            let odd = b.compare(Relation::Eq, false, x, 1);
            b.jump_if(odd, first);
            b.jump(end);
            b.store(Type::Word, Space::Shared, 0, 4, 7);
            b.place(first);
            b.jump(second);
            b.store(Type::Word, Space::Shared, 0, 4, 8);
            b.place(second);
            b.store(Type::Word, Space::Shared, 0, 4, 9);
            b.place(end);
            b.op(Op::Return);
        },
        expect![[r#"
            ld.shared.u32 %r0, [block+0];
            setp.eq.u32 %p0, %r0, 1;
            @!%p0 bra L2;
            st.shared.u32 [block+4], 9;
            L2:
            ret;
        "#]],
    );
}

#[test]
fn masks_of_one_word_are_joined() {
    check(
        |b| {
            let x = word(b, 0);
            for (keep, set) in [(0xffff_ff00_u32, 0x12_u32), (0xffff_00ff, 0x3400), (0xffff_fff0, 0x5)] {
                let kept = b.word(Math::And, x, keep);
                let set = b.word(Math::Or, kept, set);
                b.set(x, set);
            }
            b.store(Type::Word, Space::Shared, 0, 4, x);
            b.op(Op::Return);
        },
        expect![[r#"
            ld.shared.u32 %r0, [block+0];
            and.b32 %r0, %r0, -65536;
            or.b32 %r0, %r0, 13333;
            st.shared.u32 [block+4], %r0;
            ret;
        "#]],
    );
}

#[test]
fn a_mask_whose_middle_is_read_stays() {
    check(
        |b| {
            let x = word(b, 0);
            let kept = b.word(Math::And, x, 0xf0_u32);
            let set = b.word(Math::Or, kept, 1_u32);
            b.set(x, set);
            let kept = b.word(Math::And, x, 0xf_u32);
            b.store(Type::Word, Space::Shared, 0, 4, kept);
            b.store(Type::Word, Space::Shared, 0, 8, x);
            b.op(Op::Return);
        },
        expect![[r#"
            ld.shared.u32 %r0, [block+0];
            and.b32 %r1, %r0, 240;
            or.b32 %r0, %r1, 1;
            and.b32 %r2, %r0, 15;
            st.shared.u32 [block+4], %r2;
            st.shared.u32 [block+8], %r0;
            ret;
        "#]],
    );
}

#[test]
fn equal_blocks_are_kept_once_and_others_are_not() {
    check(
        |b| {
            let x = word(b, 0);
            let targets: Vec<Label> = (0..3).map(|_| b.label()).collect();
            let end = b.label();
            b.op(Op::Switch { on: x, targets: targets.clone() });
            for (label, value) in targets.iter().zip([5, 5, 6]) {
                b.place(*label);
                let sum = b.word(Math::Add, x, value);
                b.store(Type::Word, Space::Shared, 0, 4, sum);
                b.jump(end);
            }
            b.place(end);
            b.op(Op::Return);
        },
        expect![[r#"
            ld.shared.u32 %r0, [block+0];
            T1: .branchtargets L0, L0, L2;
            brx.idx %r0, T1;
            L0:
            add.u32 %r1, %r0, 5;
            st.shared.u32 [block+4], %r1;
            bra L3;
            L2:
            add.u32 %r2, %r0, 6;
            st.shared.u32 [block+4], %r2;
            L3:
            ret;
        "#]],
    );
}
