#!/usr/bin/env bash
# Uses stint as other projects do: installed, by CMake and by pkg-config, and
# as a folder of their own project. Fails if one of them does not build or run.
#   run.sh WAY BUILD-FOLDER C++-COMPILER [CMAKE-OPTION…]
set -euo pipefail
way=$1 build=$2 compiler=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/tests/consumer/$way
rm -rf "$work"
mkdir -p "$work"

case $way in
    find_package)
        cmake --install "$build" --prefix "$work/prefix" >/dev/null
        cmake -S "$here/find_package" -B "$work/build" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" \
            "-DCMAKE_PREFIX_PATH=$work/prefix" "$@" >/dev/null
        cmake --build "$work/build"
        "$work/build/consumer"
        python3 "$here/on_redis.py" "$work/build/redis_consumer"
        "$work/prefix/bin/stint" --version
        ;;
    pkg_config)
        cmake --install "$build" --prefix "$work/prefix" >/dev/null
        PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name stint.pc)")
        export PKG_CONFIG_PATH
        # shellcheck disable=SC2046 # the flags are words
        "$compiler" -std=c++20 "$here/main.cpp" -o "$work/consumer" $(pkg-config --cflags --libs --static stint)
        "$work/consumer"
        # shellcheck disable=SC2046
        "$compiler" -std=c++20 "$here/redis.cpp" -o "$work/redis" $(pkg-config --cflags --libs --static stint-redis)
        python3 "$here/on_redis.py" "$work/redis"
        ;;
    subdirectory)
        cmake -S "$here/subdirectory" -B "$work/build" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" "$@" >/dev/null
        cmake --build "$work/build" --target consumer redis_consumer
        "$work/build/consumer"
        python3 "$here/on_redis.py" "$work/build/redis_consumer"
        ;;
    *)
        echo "no such way: $way" >&2
        exit 2
        ;;
esac
