#!/bin/sh
# Records trails of SPIN and of ours, and how SPIN replays each, for the tests of crates/spin. Needs spin, gcc, and ferrospin.
#
#   sh xtask/record-trails.sh ferrospin crates/spin/tests/trails COUNT models/*.pml
#
# For each violated property of a model (MODEL.expect.tsv beside it) that both find, until COUNT are there: a file
# NN.txt with the line `model DEFINES PROPERTY`, both trails behind `spin|` and `ours|`, and what `spin -t -g -l` says of the end of
# each behind `spin>` and `ours>`.
set -u
program=$1; target=$(cd "$2" && pwd); count=$3; shift 3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
n=$(ls "$target" | grep -c '\.txt$')
ending() { # letter file
	sed -n '/^#processes:/,$p' "$2" | awk -v l="$1" '{ print l ">" $0 }'
}
for model in "$@"; do
	name=$(basename "$model"); taken=0
	grep -P '\tviolated\t' "${model%.pml}.expect.tsv" 2>/dev/null | grep -v '+fair' >"$work/rows" || continue
	tab=$(printf '\t')
	while IFS="$tab" read -r defines property _; do
		[ "$n" -ge "$count" ] && exit 0
		[ "$taken" -ge 3 ] && break
		[ "$defines" = - ] && defines=
		case $property in
		ltl:*) search="-a -ltl ${property#ltl:}" ;;
		safety) search="-noclaim" ;;
		*) continue ;;
		esac
		rm -rf "$work/run"; mkdir "$work/run"; cp "$model" "$work/run/$name"; cd "$work/run" || exit 1
		# shellcheck disable=SC2086
		timeout 30 spin $defines -run $search -O0 -w18 "$name" >log 2>&1
		if [ -f "$name.trail" ]; then
			mv "$name.trail" theirs
			# shellcheck disable=SC2086
			timeout 60 "$program" spin $defines -run $search "$name" >log 2>&1
		fi
		if [ -f theirs ] && [ -f "$name.trail" ] && [ "$(wc -l <"$name.trail")" -lt 400 ] && [ "$(wc -l <theirs)" -lt 1500 ]; then
			mv "$name.trail" ours
			# shellcheck disable=SC2086
			spin $defines -t -k theirs -g -l "$name" >theirs.end 2>&1
			# shellcheck disable=SC2086
			spin $defines -t -k ours -g -l "$name" >ours.end 2>&1
			n=$((n + 1)); taken=$((taken + 1))
			{
				echo "$name $property $defines"
				tr '\n' ' ' <theirs | fold -s -w 130 | sed 's/^/spin|/; s/ $//'; echo
				ending spin theirs.end
				tr '\n' ' ' <ours | fold -s -w 130 | sed 's/^/ours|/; s/ $//'; echo
				ending ours ours.end
			} >"$target/$(printf %02d "$n").txt"
		fi
		cd - >/dev/null || exit 1
	done <"$work/rows"
done
