# shellcheck shell=bash
# Benches live in the crate that they measure, in benches/. They are built as a release is.

run_benches() { # NAME…
  local all names=() name
  mapfile -t all < <(find app consumer lab server -path '*/benches/*.rs' -exec basename {} .rs \; | sort)
  [ ${#all[@]} -gt 0 ] || { say "no bench exists yet: the first one goes into benches/ of the crate that it measures"; return; }
  say "benches: ${all[*]}"
  [ $# -gt 0 ] || set -- "${all[@]}"
  for name; do
    [[ " ${all[*]} " == *" $name "* ]] || die "there is no bench '$name'"
    names+=(--bench "$name")
  done
  use_build_tools
  build_wasm
  cargo bench --workspace "${names[@]}"
}
