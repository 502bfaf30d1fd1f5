# shellcheck shell=bash
# What can be said without running the program, cheapest first.

CARGO_DENY_VERSION=0.20.2
# Compressed, in bytes: what a first visit may cost.
BUDGETS=(oncewatch.wasm:250000 oncewatch.js:30000 oncewatch.css:30000)

run_checks() {
  check_format
  check_scripts
  check_journeys
  check_lints
  use_build_tools
  check_budgets
  check_dependencies
  say "all checks passed"
}

check_format() {
  say "format"
  command -v rustfmt >/dev/null || die "rustfmt is missing: rustup component add rustfmt"
  local files
  files=$(git ls-files -z '*.rs' | xargs -0 rustfmt --check -l --edition 2024 --config-path . | sort -u) ||
    die "not formatted, or no Rust; run: rustfmt --edition 2024 --config-path . ${files//$'\n'/ }"
}

check_scripts() {
  say "shell scripts"
  install_packages shellcheck
  shellcheck dev .ci/run .dev/*.sh
}

check_journeys() {
  say "types of the journeys"
  use_journeys
  npm run check --prefix end2end --silent
}

# Debian's compiler for WebAssembly comes without clippy, so this runs before use_build_tools puts it into PATH.
check_lints() {
  say "lints"
  local cargo=(cargo)
  cargo clippy --version >/dev/null 2>&1 || cargo=(rustup run stable cargo)
  "${cargo[@]}" clippy --version >/dev/null 2>&1 || die "clippy is missing: rustup component add clippy"
  "${cargo[@]}" clippy --target-dir "$TARGET_DIR/clippy" --workspace --all-targets -- -D warnings
  "${cargo[@]}" clippy --target-dir "$TARGET_DIR/clippy" -p app --no-default-features --features hydrate -- -D warnings
}

check_budgets() {
  say "budgets"
  build_wasm
  local entry name limit size
  cat style/*.css >"$SITE"/oncewatch.css # the server joins them itself
  compress "$SITE/oncewatch.css"
  for entry in "${BUDGETS[@]}"; do
    name=${entry%:*} limit=${entry#*:}
    size=$(wc -c <"$SITE/$name.br")
    printf '    %-16s %7d of %d bytes\n' "$name" "$size" "$limit"
    [ "$size" -le "$limit" ] || die "$name is over its budget: find what made it grow (twiggy, or the last commits to app/)"
  done
  rm "$SITE"/oncewatch.css{,.br}
}

# Advisories need a database that is fetched by git; where that cannot be reached, the rest is checked all the same.
check_dependencies() {
  say "licences and sources of dependencies"
  use_cargo_deny
  cargo deny --config .deny.toml --log-level error check licenses bans sources
  if cargo deny --config .deny.toml --log-level error fetch db >/dev/null 2>&1; then
    cargo deny --config .deny.toml --log-level error check advisories
  else
    say "advisories were not checked: their database cannot be fetched from here"
  fi
}

use_cargo_deny() {
  export PATH=$TOOLS/bin:$PATH
  [ "$("$TOOLS/bin/cargo-deny" -V 2>/dev/null)" != "cargo-deny $CARGO_DENY_VERSION" ] || return 0
  say "installing cargo-deny $CARGO_DENY_VERSION, once (a few minutes)"
  install_tool cargo-deny "$CARGO_DENY_VERSION" --locked --no-default-features
}
