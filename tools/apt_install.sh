#!/bin/sh
# Installs packages; runs as root. redis-server is wanted for its program: its
# package would also start a server on port 6379, now and at every boot. An
# administrator's own policy-rc.d stays as it is.
set -eu
policy=/usr/sbin/policy-rc.d
case " $* " in *" redis-server "*) service=redis-server ;; *) service='' ;; esac
if [ -n "$service" ] && [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' INT TERM HUP
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$@"
if [ -n "$service" ]; then
    if [ -d /run/systemd/system ]; then systemctl stop "$service"; fi
    update-rc.d "$service" disable
fi
