/*
 * The Needham-Schroeder public key protocol (R. Needham and M. Schroeder, "Using
 * encryption for authentication in large networks of computers", 1978) and the
 * attack on it found by G. Lowe, 1995.
 *
 *   1. A -> B : { Na, A } for B
 *   2. B -> A : { Na, Nb } for A          (-DFIXED: { Na, Nb, B } for A)
 *   3. A -> B : { Nb } for B
 *
 * Alice opens one session, with Bob or with the intruder Eve. Bob answers one
 * session. Eve reads and stops every message, opens those encrypted for her,
 * keeps the others for a replay, and builds new messages from the nonces she
 * knows. Alice, talking honestly to Eve, lets Eve pose as Alice towards Bob.
 *
 * Checked: if Bob ends a session with Alice, Alice began one with Bob, and the
 * nonces of an honest session are secret. Both fail, and hold with -DFIXED.
 *
 * Macros: FIXED (Lowe's correction), NOEVE_PARTNER (Alice never talks to Eve;
 * then the original protocol is safe as well). A few hundred states.
 */
mtype = { alice, bob, eve, nonce_a, nonce_b, nonce_e, none };

typedef Cipher {		/* message number, key, contents */
	byte number;
	mtype key;
	mtype x, y, z
};

chan net = [0] of { byte, mtype, mtype, mtype, mtype };	/* sent by Alice and Bob */
chan eve_out = [0] of { byte, mtype, mtype, mtype, mtype };	/* sent by Eve */

mtype partner_a = none, partner_b = none;	/* whom each believes to talk to */
bool done_a, done_b;				/* session finished */
bool knows_na, knows_nb;			/* what Eve has learnt */

#ifdef FIXED
#define NAME_OF_RESPONDER(n)   n
#else
#define NAME_OF_RESPONDER(n)   none
#endif

active proctype Alice() {
	mtype nb;
	if
	:: partner_a = bob
#ifndef NOEVE_PARTNER
	:: partner_a = eve
#endif
	fi;
	net!1,partner_a,nonce_a,alice,none;
end:	eve_out?2,alice,nonce_a,nb,eval(NAME_OF_RESPONDER(partner_a));
	atomic { net!3,partner_a,nb,none,none; done_a = true }
}

active proctype Bob() {
	mtype na, who;
end1:	eve_out?1,bob,na,who,none;
	partner_b = who;
	net!2,who,na,nonce_b,NAME_OF_RESPONDER(bob);
end2:	atomic {
		eve_out?3,bob,nonce_b,none,none;
		done_b = true;
		assert(partner_b != alice || partner_a == bob)
	}
}

#define LEARN(n)  knows_na = knows_na || (n) == nonce_a; knows_nb = knows_nb || (n) == nonce_b

/* Send it if somebody takes it, or think again. */
#define offer(num, k, a, b, c)   if :: eve_out!num,k,a,b,c :: true fi

active proctype Eve() {
	Cipher kept;		/* one message she cannot open */
	byte number;
	mtype key, x, y, z;

end:	do
	:: net?number,key,x,y,z ->		/* every message passes through her */
		d_step {
			if
			:: key == eve -> LEARN(x); LEARN(y)
			:: else ->
				kept.number = number; kept.key = key;
				kept.x = x; kept.y = y; kept.z = z
			fi;
			number = 0; key = 0; x = 0; y = 0; z = 0
		}
	:: kept.number > 0 ->			/* deliver it, or a copy of it */
		offer(kept.number, kept.key, kept.x, kept.y, kept.z)
	:: eve_out!1,bob,nonce_e,eve,none	/* an honest session of her own */
	:: eve_out!1,bob,nonce_e,alice,none	/* posing as Alice */
	:: knows_na -> offer(1, bob, nonce_a, alice, none)
	:: knows_nb -> offer(3, bob, nonce_b, none, none)
	:: knows_na -> offer(2, alice, nonce_a, nonce_e, NAME_OF_RESPONDER(eve))
	:: knows_na && knows_nb -> offer(2, alice, nonce_a, nonce_b, NAME_OF_RESPONDER(eve))
	od
}

ltl bob_authentic   { [] (done_b && partner_b == alice -> partner_a == bob) }
ltl alice_authentic { [] (done_a && partner_a == bob -> partner_b == alice) }
ltl nonce_secret    { [] (partner_b == alice && partner_a == bob -> !knows_nb) }
ltl bobs_nonce_secret { [] (partner_b == alice -> !knows_nb) }
ltl can_finish_fails { [] !(done_a && done_b) }
ltl ends_fails       { <> done_b }
