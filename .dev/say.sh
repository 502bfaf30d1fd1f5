# shellcheck shell=bash
# How ./dev talks.

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'dev: %s\n' "$*" >&2; exit 1; }
