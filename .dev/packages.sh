# shellcheck shell=bash
# The distribution's packages: named before they are installed, and no service of the system is started by it.

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

install_packages() { # PACKAGE…
  local package missing=()
  for package; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "these are missing, and only apt-get is known here; install by hand: ${missing[*]}"
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || die "run as root, or: apt-get install ${missing[*]}"
  say "installing: ${missing[*]}"
  (
    forbid_service_starts
    trap allow_service_starts EXIT
    trap 'exit 130' INT TERM
    apt_get install -y --no-install-recommends "${missing[@]}" ||
      { apt_get update && apt_get install -y --no-install-recommends "${missing[@]}"; }
  ) || die "apt-get failed, see $(apt_log); or by hand: apt-get install ${missing[*]}"
}

apt_log() { echo "${TMPDIR:-/tmp}/oncewatch-apt-$(id -u).log"; }

apt_get() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >>"$(apt_log)" 2>&1 </dev/null; }

# Debian's way to say "install, but start nothing": the packages of databases would else take the usual ports.
POLICY=/usr/sbin/policy-rc.d

forbid_service_starts() {
  if [ -e $POLICY ]; then as_root mv $POLICY $POLICY.before-oncewatch; fi
  printf '#!/bin/sh\n# Made by ./dev of Oncewatch while it installs packages; if you read this later, remove it.\nexit 101\n' |
    as_root tee $POLICY >/dev/null
  as_root chmod 755 $POLICY
}

allow_service_starts() {
  as_root rm -f $POLICY
  if [ -e $POLICY.before-oncewatch ]; then as_root mv $POLICY.before-oncewatch $POLICY; fi
}

need_node() {
  if ! { command -v node && command -v npm; } >/dev/null; then install_packages nodejs npm; fi
  local version; version=$(node -p 'process.versions.node.split(".")[0]')
  [ "$version" -ge 20 ] || die "node is version $version, and 20 is the least: see https://nodejs.org for a newer one"
}
