#!/bin/sh
# How many instructions the host executes for a launch of each kind, counted by callgrind
# (AVX2 at most), and how many times as many as an earlier program did.
#
#   instructions.sh KERNELS.ptx PROGRAM [EARLIER]      ends with 1 if it is over MOST times

count() {
    valgrind --tool=callgrind --toggle-collect=counted --callgrind-out-file=/dev/null \
        "$1" "$ptx" "$2" 2>&1 | sed -n 's/.*Collected : *//p'
}

ptx=$1
most=${MOST:-1.02}
echo "Host instructions of a launch, in millions"
for kind in $("$2" "$ptx"); do
    echo "$kind $(count "$2" "$kind") ${3:+$(count "$3" "$kind")}"
done | awk -v most="$most" '
    NF < 2 {print "  " $1 ": not counted"; failed = 1; next}
    {printf "  %-20s %9.2f", $1, $2 / 1e6}
    NF > 2 {
        missed = ($2 > most * $3)
        printf "   before %9.2f   ratio %.4f%s", $3 / 1e6, $2 / $3, missed ? "   MISSED" : ""
        logs += log($2 / $3)
        n++
        failed += missed
    }
    {print ""}
    END {if (n) printf "  %-20s %33s   ratio %.4f\n", "geometric mean", "", exp(logs / n)
        exit failed > 0}'
