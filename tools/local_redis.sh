# A Redis server for one run of stint, on a loopback port of its own. Sourced by ./run.
# shellcheck shell=bash

redis_pid=
redis_port=

# start_redis FOLDER: sets redis_pid and redis_port. The server keeps nothing on
# disk, ends with this shell, and hears no Ctrl-C: stint ends first.
start_redis() {
    local folder=$1 attempt waited
    for ((attempt = 0; attempt < 20; attempt++)); do
        redis_port=$((20000 + RANDOM % 10000))
        rm -f "$folder/redis.log"
        setsid setpriv --pdeathsig TERM redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --dir "$folder" \
            --logfile redis.log --daemonize no >"$folder/redis.out" 2>&1 </dev/null &
        redis_pid=$!
        for ((waited = 0; waited < 200; waited++)); do
            if grep -q 'Ready to accept connections' "$folder/redis.log" 2>/dev/null; then return 0; fi
            # Most likely the port is taken.
            if ! kill -0 "$redis_pid" 2>/dev/null; then break; fi
            sleep 0.05
        done
        stop_redis
    done
    cat "$folder"/redis.* >&2
    echo "stint: redis-server does not start" >&2
    return 1
}

stop_redis() {
    [ -n "$redis_pid" ] || return 0
    kill "$redis_pid" 2>/dev/null || true
    wait "$redis_pid" 2>/dev/null || true
    redis_pid=
}

# serve_on_local_redis BINARY ARGUMENT…: runs `BINARY serve ARGUMENT…` with a
# Redis of its own as the store, unless the arguments name another. Passes
# signals on, and returns the status of BINARY when Redis has ended.
serve_on_local_redis() {
    local binary=$1 folder stint_pid status=0 signalled=
    shift
    folder=$(mktemp -d)
    if ! start_redis "$folder"; then
        rm -rf "$folder"
        return 1
    fi
    echo "stint: Redis on 127.0.0.1:$redis_port, pid $redis_pid; it ends with this, and its counters with it" >&2
    # A session of its own, so that Ctrl-C is passed on once and does not come twice.
    STINT_STORE=redis://127.0.0.1:$redis_port setsid setpriv --pdeathsig TERM "$binary" serve "$@" &
    stint_pid=$!
    trap 'signalled=1; kill -TERM "$stint_pid" 2>/dev/null' TERM INT
    trap 'signalled=1; kill -HUP "$stint_pid" 2>/dev/null' HUP
    wait "$stint_pid" || status=$?
    # A signal ends the wait, not stint.
    while [ -n "$signalled" ]; do
        signalled=
        status=0
        wait "$stint_pid" || status=$?
    done
    trap - TERM INT HUP
    stop_redis
    rm -rf "$folder"
    return "$status"
}
