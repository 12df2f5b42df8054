#!/bin/sh
# Records what SPIN prints, for the tests of crates/spin. Needs spin and gcc.
#
#   sh xtask/record-spin.sh crates/spin/tests/golden MODEL.pml...
#
# Each MODEL.pml gets a MODEL.txt in the folder, with a block for each call: `@ CALL`, `code N`, and the lines of both streams behind
# `o|` and `e|`; `x` in place of `|` marks a last line without an end. Trails are blocks of their own: `@ trail OF-CALL`.
set -u
target=$(cd "$1" && pwd); shift
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
seconds=${SECONDS_MAX:-20}

stream() { # letter file
	awk -v l="$1" '{ print l "|" $0 }' "$2"
	if [ -s "$2" ] && [ "$(tail -c 1 "$2" | wc -l)" -eq 0 ]; then echo "${1}x"; fi
}
call() { # words of the call
	label=$*
	timeout "$seconds" "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq 124 ] && return 1
	echo "@ $label"; echo "code $code"; stream o out; stream e err
}
trail() { # call
	for t in "$name"*.trail; do
		[ -f "$t" ] || continue
		echo "@ trail $t $*"; stream o "$t"
	done
}
compiled() { # directives, then the options of pan
	d=$1; shift
	rm -f pan ./*.trail
	# shellcheck disable=SC2086
	gcc -w -o pan $d pan.c 2>err >out || { echo "@ cc $d"; echo "code 1"; return; }
	echo "@ cc $d"; echo "code 0"
	call ./pan "$@"
	trail "$@"
}
for model in "$@"; do
	name=$(basename "$model"); base=${name%.pml}
	cp "$model" "$work/$name"; cd "$work" || exit 1
	{
		call spin -a "$name"
		if [ -f pan.c ]; then
			compiled "-O0" -d
			compiled "-DSAFETY -O0" -n
			compiled "-O0" -a
			compiled "-DNP -O0" -l
			compiled "-DSAFETY -DNOREDUCE -DCOLLAPSE -O0" -E -c0
			compiled "-DBFS -O0"
			compiled "-O0"
			if [ -f "$name.trail" ]; then
				call spin -t "$name"
				call spin -t -p -g -l -s -r "$name"
				call spin -t -c "$name"
				call spin -t -p -w -l -g -B "$name"
				call spin -t -X -p -s -r "$name"
				call spin -t -s -r -T -b "$name"
				call spin -t -p -j3 -u9 "$name"
				call spin -k "$name.trail" -p "$name"
				call ./pan -r
				call ./pan -C
				call ./pan -S
				call ./pan -r -n
				call ./pan -r -P0
				call ./pan -r "$name.trail"
			fi
			call spin -t9 "$name"
			call ./pan -Z
			call ./pan -f
			call ./pan -m30 -A -E
			call ./pan -m30 -A -E -b -n
			call ./pan -r7
			compiled "-DREACH -O0" -i -n
			compiled "-DSAFETY -DBITSTATE -O0" -k2
			compiled "-DSAFETY -DHC4 -O0" -E
			compiled "-DSAFETY -DMA=400 -O0" -n
			compiled "-DSAFETY -DNOCLAIM -O0" -A -q
			claim=$(sed -n 's/^ltl \([a-z_0-9]*\).*/\1/p' "$name" | tail -1)
			if [ -n "$claim" ]; then
				compiled "-O0" -a -N "$claim"
				call ./pan -a -N no_such_claim
				call spin -run -ltl "$claim" "$name"
			fi
			rm -f ./*.trail
		fi
		case $base in
		det_*)
			call spin -n1 -p -g -l -s -r "$name"
			call spin -n1 "$name"
			call spin -n1 -T -B -c "$name"
			call spin -n1 -u4 -p "$name"
			;;
		esac
		call spin -V
		call spin -C "$name"
		rm -f pan.? ./*.trail
		call spin -m -a "$name"
		[ -f pan.c ] && compiled "-DSAFETY -O0" -E
		rm -f ./*.trail
		call spin -run "$name"
		trail -run
		call spin -search -bitstate -n "$name"
		call spin -o3 -run -hc -c0 -e "$name"
		call spin -run -noclaim "$name"
	} >"$target/$base.txt.new"
	cd - >/dev/null || exit 1
	# Times and paths are nothing to compare with.
	mv "$target/$base.txt.new" "$target/$base.txt"
	rm -rf "${work:?}"/*
done
