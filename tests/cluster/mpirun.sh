#!/usr/bin/env bash
# Jobs under mpirun against the files of one program:
#
#     tests/cluster/mpirun.sh PROGRAM
#
# PROGRAM: subsolid, built with --features mpi. Takes seconds.
set -euo pipefail
# ranks of one machine need no network, which MPICH asks for otherwise
export UCX_TLS=${UCX_TLS:-self,sm}
program=$(realpath "$1")
models=$(realpath "$(dirname "$0")/../../models")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$models/bracket.vtk" .
"$program" --quiet shape fan 5 3 3 -o fan.vtu
"$program" --quiet distance fan.vtu --to boundary --name depth -o depth.vtu
fail() { echo "mpirun.sh: $*" >&2; exit 1; }

# The tests of the program run these jobs on more numbers of ranks, as threads; here it is MPI that
# they try.
compare() {
    local counts=$1
    shift
    mkdir alone ranks
    (cd alone && "$program" --quiet "$@")
    for n in $counts; do
        (cd ranks && mpirun -n "$n" "$program" --quiet --mpi "$@")
        diff -r alone ranks || fail "$n ranks: $*"
        rm -rf ranks/*
    done
    rm -rf alone ranks
}
compare "1 2 3 5" evaluate ../fan.vtu --samples 4 --piece-points 900 --crease-angle 40 -o out.pvtu
compare 3 evaluate ../fan.vtu --samples 2 --levels 1 --piece-points 900 -o out.pvtu
compare "2 3" refine ../fan.vtu --levels 2 --piece-cells 900 -o out.pvtu
compare 5 refine ../bracket.vtk --levels 1 --piece-cells 900 -o out.pvtu
compare "2 3" quadrature ../fan.vtu --gauss 2 --piece-points 900 --force -o out.pvtu
compare "2 3" slice ../depth.vtu --layer-height 0.2 --pixel 0.1 --png layers --svg drawings \
    --attribute depth

# a rank that fails: one message, exit code 2, nothing left
code=0
(ulimit -f 8000 && mpirun -n 3 "$program" --quiet --mpi evaluate bracket.vtk --samples 12 -o full.pvtu) \
    2> message || code=$?
[ "$code" = 2 ] || fail "exit code $code: $(cat message)"
[ "$(grep -c '^error:' message)" = 1 ] || fail "$(cat message)"
[ -z "$(find . -name '*full*')" ] || fail "left $(find . -name '*full*')"
# a rank that is killed: all end soon, no file under a final name
mpirun -n 3 "$program" --quiet --mpi refine bracket.vtk --levels 6 --piece-cells 5000 -o killed.pvtu \
    2> message &
job=$!
for _ in $(seq 200); do
    [ -z "$(find . -name 'killed_0000.vtu')" ] || break
    sleep 0.05
done
kill -KILL "$(pgrep -f "^$program .*killed.pvtu" | tail -1)"
code=0
timeout 20 tail --pid="$job" -f /dev/null || fail "ranks go on without one that is killed"
wait "$job" || code=$?
[ "$code" != 0 ] || fail "exit code 0 after a rank was killed"
[ ! -e killed.pvtu ] && [ ! -e killed ] || fail "left $(ls -d killed*)"

echo "mpirun.sh: ranks write what one program writes"
