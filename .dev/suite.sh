# shellcheck shell=bash
# Run by `./dev test` under `lab run`. Both halves run, whatever becomes of the first: one failure seldom explains all.
set -u
failed=()
cargo test --workspace --no-fail-fast || failed+=("cargo test")
npm test --prefix end2end || failed+=("the journeys in end2end")
[ ${#failed[@]} -eq 0 ] && exit 0
printf 'dev: failed: %s\n' "${failed[*]}" >&2
exit 1
