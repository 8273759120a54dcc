# Configures and builds a preset. Sourced by ./run and ./test.
# shellcheck shell=bash

# run_logged LOG COMMAND…: quiet; on a terminal shows Ninja's progress in one
# line. On failure prints the end of the log and returns the command's status.
run_logged() {
    local log=$1 status=0
    shift
    mkdir -p "$(dirname "$log")"
    if [ -t 2 ]; then
        "$@" </dev/null 2>&1 | tee "$log" | awk '
            /^\[[0-9]+\/[0-9]+\]/ { printf "\r\033[K%s", substr($0, 1, 78) > "/dev/stderr"; fflush("/dev/stderr") }
            END { printf "\r\033[K" > "/dev/stderr" }'
        status=${PIPESTATUS[0]}
    else
        "$@" </dev/null >"$log" 2>&1 || status=$?
    fi
    if [ "$status" -ne 0 ]; then
        grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\)' "$log" | tail -n "${LOG_LINES:-60}" >&2
        echo "stint: failed ($status): $* — the whole log is $log" >&2
    fi
    return "$status"
}

# What makes a build faster if it is there.
speed_up_options() {
    if command -v ccache >/dev/null; then
        printf '%s\n' -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    fi
    if command -v mold >/dev/null; then
        printf '%s\n' -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold
    fi
}

# Fits compilers of up to 1.2 GB into the machine's memory.
build_jobs() {
    local cores memory_kb jobs
    cores=$(nproc)
    memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
    jobs=$((memory_kb / 1200000))
    [ "$jobs" -ge 1 ] || jobs=1
    [ "$jobs" -le "$cores" ] || jobs=$cores
    echo "$jobs"
}

# configure ROOT PRESET [-DOPTION…]: nothing to see unless it fails.
configure() {
    local root=$1 preset=$2 options
    shift 2
    mapfile -t options < <(speed_up_options)
    run_logged "$root/build/log/$preset-configure.log" \
        cmake -S "$root" --preset "$preset" "${options[@]}" "$@"
}

# build ROOT PRESET [TARGET…]: all targets if none is named.
build() {
    local root=$1 preset=$2
    shift 2
    run_logged "$root/build/log/$preset-build.log" \
        cmake --build "$root/build/$preset" -j "$(build_jobs)" --target "${@:-all}"
}
