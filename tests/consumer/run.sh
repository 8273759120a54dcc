#!/usr/bin/env bash
# Uses stint as other projects do: installed, by CMake and by pkg-config, and
# as a folder of their own project. Fails if one of them does not build or run.
#   run.sh BUILD-FOLDER NAME install_static
#   run.sh BUILD-FOLDER NAME install_shared COMPILER [CMAKE-OPTION…]   (what the Debian packages are made of)
#   run.sh BUILD-FOLDER NAME package_deb
#   run.sh BUILD-FOLDER NAME other_abi COMPILER
#   run.sh BUILD-FOLDER NAME find_package-KIND|pkg_config-KIND COMPILER STANDARD [CMAKE-OPTION…]
#   run.sh BUILD-FOLDER NAME grpc COMPILER [CMAKE-OPTION…]
#   run.sh BUILD-FOLDER NAME subdirectory COMPILER [CMAKE-OPTION…]
# KIND is static or shared, as one of the first two has installed it.
set -euo pipefail
build=$1 name=$2 way=$3 compiler=${4:-}
shift $(($# < 4 ? $# : 4))
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/tests/consumer/$name
kind=${way##*[-_]}
shared=$build/tests/consumer/install_shared
case $kind in
    shared) prefix=$shared/root/usr ;;
    *) prefix=$build/tests/consumer/install_static/prefix ;;
esac

# The shared library is another folder's build, which is kept: made again, it is up to date.
if [ "$way" = install_shared ]; then rm -rf "$work/root"; else rm -rf "$work"; fi
mkdir -p "$work"

# Configures the project in a folder beside this one; nothing to see unless it fails.
configure() {
    cmake -S "$1" -B "$work/build" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" "${@:2}" >"$work/log" 2>&1 ||
        { cat "$work/log" && false; }
}

# Runs both programs; they link the library that is meant.
check_programs() {
    "$1"
    python3 "$here/on_redis.py" "$2"
    case $kind in
        shared) ldd "$2" | grep 'libstint\.so\.0' && ldd "$2" | grep 'libstint_redis\.so\.0' ;;
        *) ! ldd "$2" | grep libstint ;;
    esac
}

case $way in
    install_static) cmake --install "$build" --prefix "$prefix" >/dev/null ;;
    install_shared)
        configure "$here/../.." --preset deb "$@"
        cmake --build "$work/build"
        DESTDIR=$work/root cmake --install "$work/build" >/dev/null
        # Public functions are there to be linked, the inside is not.
        names=$(nm -DC --defined-only "$(find "$prefix" -name libstint.so.0)")
        grep -q 'stint::v0::Limiter::reload' <<<"$names"
        ! grep -E ' [TW] stint::v0::(engine|store)::' <<<"$names"
        ;;
    package_deb)
        cpack --config "$shared/build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log" && false; }
        python3 "$here/deb_test.py" "$work"
        ;;
    other_abi)
        # Headers of another binary interface do not meet this library.
        cp -r "$prefix/include" "$work/include"
        sed -i 's/inline v0/inline v1/' "$work/include/stint/"*.hpp
        if "$compiler" -std=c++20 "-I$work/include" "$here/main.cpp" -o "$work/consumer" "$prefix"/lib*/libstint.a \
            >"$work/log" 2>&1; then
            echo "two binary interfaces met" >&2
            exit 1
        fi
        grep 'undefined reference to .stint::v1::Limiter::check(' "$work/log"
        ;;
    find_package-*)
        configure "$here/find_package" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_CXX_STANDARD=$1" "${@:2}"
        cmake --build "$work/build"
        check_programs "$work/build/consumer" "$work/build/redis_consumer"
        ;;
    grpc)
        configure "$here/grpc" "-DCMAKE_PREFIX_PATH=$prefix" "$@"
        cmake --build "$work/build"
        "$work/build/contest/grpc_contest" demo | grep "forty-two: right"
        ;;
    pkg_config-*)
        PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name stint.pc)")
        export PKG_CONFIG_PATH
        standard=-std=c++${1/23/2b} # as both compilers know it
        # shellcheck disable=SC2046 # the flags are words
        "$compiler" "$standard" "$here/main.cpp" -o "$work/consumer" $(pkg-config --cflags --libs --static stint)
        # shellcheck disable=SC2046
        "$compiler" "$standard" "$here/redis.cpp" -o "$work/redis" $(pkg-config --cflags --libs --static stint-redis)
        check_programs "$work/consumer" "$work/redis"
        ;;
    subdirectory)
        configure "$here/subdirectory" "$@"
        cmake --build "$work/build" --target consumer redis_consumer
        check_programs "$work/build/consumer" "$work/build/redis_consumer"
        ;;
    *)
        echo "no such way: $way" >&2
        exit 2
        ;;
esac
