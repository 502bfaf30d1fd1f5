# shellcheck shell=bash
# Benches live in the crate that they measure, in benches/, as a file or a folder with main.rs. They are built as a release is.

run_benches() { # NAME…
  local all names=() name
  mapfile -t all < <(bench_names)
  [ ${#all[@]} -gt 0 ] || { say "no bench exists yet: the first one goes into benches/ of the crate that it measures"; return; }
  say "benches: ${all[*]}"
  [ $# -gt 0 ] || set -- "${all[@]}"
  for name; do
    [[ " ${all[*]} " == *" $name "* ]] || die "there is no bench '$name'"
    names+=(--bench "$name")
  done
  install_packages "${SERVICES[@]}"
  if [[ " ${names[*]} " == *" see "* ]]; then # it looks into a tab
    install_browser
    use_journeys
  fi
  [[ " ${names[*]} " != *" operate "* ]] || install_packages percona-toolkit # what archiving is held against
  use_build_tools
  build_wasm
  cargo bench --workspace "${names[@]}"
}

bench_names() {
  find app consumer lab server -path '*/benches/*' \( -name main.rs -printf '%h\n' -o -name '*.rs' -not -path '*/benches/*/*' -print \) |
    sed 's|.*/||; s|\.rs$||' | sort
}
