# The stages of ./test, which sources this; `root` is the source folder.
# A stage that fails does not stop the others, except those that need what it
# makes. Builds count as a test only when they fail.
# shellcheck shell=bash disable=SC2154

tests_passed=0
tests_failed=0
tests_skipped=0
stage_lines=()
cpu=0

# Sets `cpu` to the processor seconds that ended children of this shell took.
# Beside the time that went by they tell a slow stage from a busy machine.
read_cpu() {
    local file="$root/build/log/times"
    mkdir -p "${file%/*}"
    times >"$file" # not in a pipe: a subshell has no children of its own yet
    cpu=$(awk 'NR == 2 {
        for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += part[1] * 60 + part[2] }
        printf "%d", sum }' "$file")
}

# stage NAME FUNCTION [ARGUMENT…]: runs and times it. Returns its status.
stage() {
    local name=$1 started=$SECONDS cpu_before status=0 failed_before=$tests_failed verdict=ok line
    shift
    printf '== %s\n' "$name"
    read_cpu
    cpu_before=$cpu
    "$@" || status=$?
    if [ "$status" -ne 0 ]; then
        verdict=FAILED
        if [ "$tests_failed" -eq "$failed_before" ]; then tests_failed=$((tests_failed + 1)); fi
    fi
    read_cpu
    line=$(printf '%-14s %-6s %5d s, CPU %5d s' "$name" "$verdict" $((SECONDS - started)) $((cpu - cpu_before)))
    stage_lines+=("$line")
    printf '== %s\n' "$line"
    return "$status"
}

# Prints the time of every stage and the closing line; ends the script, well
# only if something passed and nothing failed.
summarize() {
    local skipped=""
    [ "$tests_skipped" -eq 0 ] || skipped=", $tests_skipped skipped"
    printf '\n'
    printf '%s\n' "${stage_lines[@]}" "$(printf '%-14s %6s %5d s, CPU %5d s' all "" "$SECONDS" "$cpu")"
    printf '\n%d passed, %d failed%s\n' "$tests_passed" "$tests_failed" "$skipped"
    [ "$tests_failed" -eq 0 ] && [ "$tests_passed" -gt 0 ]
    exit
}

# What users get, with all tests and benchmarks, in the folder that ./run uses.
build_release() {
    configure "$root" release -DSTINT_BUILD_TESTS=ON -DSTINT_BUILD_BENCH=ON && build "$root" release
}

# build_preset PRESET [TARGET…]
build_preset() {
    local preset=$1
    shift
    configure "$root" "$preset" && build "$root" "$preset" "$@"
}

# run_ctest PRESET [CTEST-ARGUMENT…]: prints failures and the summary, and
# counts. The whole output is in build/log. As many tests at a time as there
# are cores, or as TEST_JOBS says.
run_ctest() {
    local preset=$1 log="$root/build/log/$1-tests.log" status=0 counts failed total skipped
    shift
    ctest --test-dir "$root/build/$preset" -j "${TEST_JOBS:-$(nproc)}" --output-on-failure --no-tests=error "$@" \
        </dev/null 2>&1 | tee "$log" | grep -vE '^ *Start +[0-9]+: |^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed '
    status=${PIPESTATUS[0]}
    counts=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log" | tail -n 1)
    if [ -z "$counts" ]; then return 1; fi
    read -r failed total <<<"$counts"
    skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*(Skipped|Not Run \(Disabled\))' "$log")
    tests_failed=$((tests_failed + failed))
    tests_skipped=$((tests_skipped + skipped))
    tests_passed=$((tests_passed + total - failed - skipped))
    return "$status"
}

# The C++ files of the tree: tracked ones if this is a checkout, else all.
cpp_files() {
    (cd "$root" && if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files '*.cpp' '*.hpp'
    else
        find include src tests bench examples -name '*.[ch]pp'
    fi)
}

check_format() {
    local files
    mapfile -t files < <(cpp_files)
    (cd "$root" && clang-format-16 --dry-run -Werror --ferror-limit=3 "${files[@]}" 2>&1 | head -n 40
        exit "${PIPESTATUS[0]}") || return 1
    tests_passed=$((tests_passed + 1))
}

check_scripts() {
    (cd "$root" && shellcheck -x run test .ci/run tools/*.sh tests/consumer/run.sh deploy/debian/p*) || return 1
    tests_passed=$((tests_passed + 1))
}

# Checks what .clang-tidy says on src without its tests and the files that only
# compile a library, with the compile commands of the Clang build.
run_clang_tidy() {
    local log="$root/build/log/clang-tidy.log"
    if ! (cd "$root" && cpp_files | grep '^src/.*\.cpp$' | grep -vE '(_test|/boost_[a-z]+)\.cpp$' |
        xargs -P "$(build_jobs)" -n 1 clang-tidy-16 -p build/clang -quiet) </dev/null >"$log" 2>&1; then
        grep -A 4 -E '(error|warning): ' "$log" | head -n 80
        echo "the whole output is $log"
        return 1
    fi
    tests_passed=$((tests_passed + 1))
}

# fuzz NAME SECONDS: what it finds goes to build/fuzz/corpus, not into the tree.
fuzz() {
    local name=$1 found="$root/build/fuzz/corpus/$1" seeds="$root/tests/fuzz/corpus/$1"
    mkdir -p "$found" "$seeds"
    (cd "$found" && "$root/build/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$root/build/log/fuzz-$name-" "$found" "$seeds" \
        </dev/null >"$root/build/log/fuzz-$name.log" 2>&1)
}

# Waits for the fuzzers in `running`, lines of process id and name, and counts.
collect_fuzzers() {
    local line pid name
    for line in "${running[@]}"; do
        read -r pid name <<<"$line"
        if wait "$pid"; then
            tests_passed=$((tests_passed + 1))
            printf '%-14s %s\n' "$name" "$(grep -E '^Done ' "$root/build/log/fuzz-$name.log")"
        else
            tests_failed=$((tests_failed + 1))
            printf '%-14s FAILED, see build/log/fuzz-%s.log\n' "$name" "$name"
            tail -n 30 "$root/build/log/fuzz-$name.log"
        fi
    done
    running=()
}

# run_fuzzers SECONDS: each for that long, as many at a time as there are cores.
run_fuzzers() {
    local failed_before=$tests_failed running=() fuzzer count=0
    for fuzzer in "$root"/build/fuzz/tests/fuzz/fuzz_*; do
        if [ ! -f "$fuzzer" ] || [ ! -x "$fuzzer" ]; then continue; fi
        fuzz "${fuzzer##*/fuzz_}" "$1" &
        running+=("$! ${fuzzer##*/fuzz_}")
        count=$((count + 1))
        if [ "${#running[@]}" -ge "$(nproc)" ]; then collect_fuzzers; fi
    done
    collect_fuzzers
    if [ "$count" -eq 0 ]; then echo "there is no fuzzer"; fi
    [ "$count" -gt 0 ] && [ "$tests_failed" -eq "$failed_before" ]
}
