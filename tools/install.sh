# Installs what stint needs from Debian's packages. Sourced by ./run and ./test,
# which call `install_packages GROUP…` with groups of tools/packages.txt.
# Does nothing, and asks no server, when everything is there.
# shellcheck shell=bash

# Prints the packages of these groups that dpkg does not know as installed.
missing_packages() {
    local root=$1 wanted installed
    shift
    wanted=$(awk -v groups=" $* " '!/^#/ && NF == 2 && index(groups, " " $1 " ") { print $2 }' \
        "$root/tools/packages.txt" | sort -u)
    # shellcheck disable=SC2086 # one word is one package
    installed=$(dpkg-query -W -f '${Package} ${Status}\n' $wanted 2>/dev/null |
        awk '/ install ok installed$/ { print $1 }' | sort -u)
    comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$installed")
}

# install_packages ROOT GROUP…: ends the script with a message if it cannot.
install_packages() {
    local root=$1 missing as_root=()
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "stint: no apt-get here; using what is installed (docs/dependencies.md names what is needed)" >&2
        return 0
    fi
    missing=$(missing_packages "$root" "$@")
    [ -n "$missing" ] || return 0
    # shellcheck disable=SC2086
    echo "stint: installing" $missing >&2
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            # shellcheck disable=SC2086
            echo "stint: not root, and there is no sudo; as root run: apt-get install" $missing >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    local log="$root/build/log/packages.log"
    mkdir -p "$root/build/log"
    # shellcheck disable=SC2086
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh "$root/tools/apt_install.sh" $missing \
        </dev/null >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "stint: apt-get failed, see $log; stint is built on Debian 12 (bookworm)" >&2
        exit 1
    fi
}
