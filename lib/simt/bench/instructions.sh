#!/bin/sh
# How many instructions the host executes for a launch of each kind, counted by callgrind
# (AVX2 at most), and how many times as many as an earlier program did.
#
#   instructions.sh KERNELS.ptx PROGRAM [EARLIER]

count() {
    valgrind --tool=callgrind --toggle-collect=counted --callgrind-out-file=/dev/null \
        "$1" "$ptx" "$2" 2>&1 | sed -n 's/.*Collected : *//p'
}

ptx=$1
echo "Host instructions of a launch, in millions"
for kind in $("$2" "$ptx"); do
    echo "$kind $(count "$2" "$kind") ${3:+$(count "$3" "$kind")}"
done | awk '
    NF < 2 {print "  " $1 ": not counted"; failed = 1; next}
    {printf "  %-20s %9.2f", $1, $2 / 1e6}
    NF > 2 {printf "   before %9.2f   ratio %.4f", $3 / 1e6, $2 / $3; logs += log($2 / $3); n++}
    {print ""}
    END {if (n) printf "  %-20s %33s   ratio %.4f\n", "geometric mean", "", exp(logs / n)
        exit failed}'
