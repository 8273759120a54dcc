#!/usr/bin/env bash
# ./test must never be green by mistake. Runs its stages with a ctest and
# fuzzers that are made up here, and compares what they count.
# shellcheck disable=SC2034 # `root` is read by stages.sh
set -uo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/build/log" "$work/build/fuzz/tests/fuzz"
failures=0

# expect WHAT STATUS LAST-LINE SCRIPT: what a run of stages ends with.
expect() {
    local what=$1 status=$2 last=$3 output got
    output=$(PATH=$work/bin:$PATH root=$work bash -c ". '$tools/build.sh'; . '$tools/stages.sh'; set -uo pipefail; $4
        summarize" 2>&1)
    got=$?
    if [ "$got" -ne "$status" ] || [ "$(tail -n 1 <<<"$output")" != "$last" ]; then
        printf '%s: want status %s and "%s", got %s and:\n%s\n' "$what" "$status" "$last" "$got" "$output"
        failures=$((failures + 1))
    fi
}

# A ctest that prints this and ends with this status.
ctest_is() {
    printf '#!/bin/sh\ncat <<"END"\n%s\nEND\nexit %s\n' "$1" "$2" >"$work/bin/ctest"
    chmod +x "$work/bin/ctest"
}

# fuzzer_is NAME STATUS
fuzzer_is() {
    printf '#!/bin/sh\necho "Done 7 runs in 1 second(s)"\nexit %s\n' "$2" >"$work/build/fuzz/tests/fuzz/fuzz_$1"
    chmod +x "$work/build/fuzz/tests/fuzz/fuzz_$1"
}

ctest_is '100% tests passed, 0 tests failed out of 12' 0
expect "all pass" 0 "12 passed, 0 failed" 'stage tests run_ctest release'
expect "stages add up" 0 "24 passed, 0 failed" 'stage a run_ctest release; stage b run_ctest release'

ctest_is '83% tests passed, 2 tests failed out of 12' 8
expect "two fail" 1 "10 passed, 2 failed" 'stage tests run_ctest release'

ctest_is ' 3/12 Test  #3: A.B ....***Skipped   0.00 sec
100% tests passed, 0 tests failed out of 12' 0
expect "one is skipped" 0 "11 passed, 0 failed, 1 skipped" 'stage tests run_ctest release'

ctest_is 'No tests were found!!!' 8
expect "no tests" 1 "0 passed, 1 failed" 'stage tests run_ctest release'

ctest_is '' 139
expect "ctest dies" 1 "0 passed, 1 failed" 'stage tests run_ctest release'

ctest_is '100% tests passed, 0 tests failed out of 12' 0
expect "a build fails" 1 "12 passed, 1 failed" \
    'stage "build x" false && stage "tests x" run_ctest x; stage tests run_ctest release'
expect "the first of many fails" 1 "12 passed, 1 failed" 'stage format false; stage tests run_ctest release'

expect "no fuzzer" 1 "0 passed, 1 failed" 'stage fuzz run_fuzzers 1'
fuzzer_is good 0
fuzzer_is other 0
fuzzer_is third 0
expect "fuzzers find nothing" 0 "3 passed, 0 failed" 'stage fuzz run_fuzzers 1'
fuzzer_is other 77
expect "a fuzzer finds something" 1 "2 passed, 1 failed" 'stage fuzz run_fuzzers 1'

expect "nothing ran" 1 "0 passed, 0 failed" 'stage build true'

printf 'build one\nbuild two\ntest three\nci stint-no-such-package\n' >"$work/packages.txt"
mkdir -p "$work/tools"
mv "$work/packages.txt" "$work/tools/packages.txt"
missing=$(bash -c ". '$tools/install.sh'; missing_packages '$work' ci")
if [ "$missing" != stint-no-such-package ]; then
    echo "missing packages: got '$missing'"
    failures=$((failures + 1))
fi

[ "$failures" -eq 0 ] || exit 1
echo "all as expected"
