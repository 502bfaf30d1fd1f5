# shellcheck shell=bash
# Everything under test runs against real services, which `lab run` starts once for all of it.

SERVICES=(mariadb-server postgresql redis-server rabbitmq-server)
# The instrumenting guide's client code is run in these.
CLIENTS=(php-cli php-redis php-mysql python3 python3-redis python3-pymysql)

# The shell, where the distribution has it: the same engine without a window to draw.
install_browser() {
  local shell=chromium-headless-shell
  apt-cache show $shell >/dev/null 2>&1 || shell=chromium
  [ -n "${CHROMIUM:-}" ] || install_packages $shell
  install_packages fonts-noto-cjk
}

use_journeys() {
  need_node
  [ end2end/node_modules/.package-lock.json -nt end2end/package-lock.json ] || {
    say "npm ci in end2end"
    npm ci --prefix end2end --silent --no-audit --no-fund || die "npm ci failed; run it in end2end/ to see why"
  }
}

under_lab() { # COMMAND…
  cargo build --workspace
  "$TARGET_DIR/debug/lab" run -- "$@"
}

run_tests() { # arguments are cargo test's: then only those tests run, and no journeys
  install_packages "${SERVICES[@]}" "${CLIENTS[@]}"
  if [ $# -gt 0 ]; then
    use_build_tools
    build_wasm
    under_lab cargo test "$@"
    return
  fi
  install_browser
  use_build_tools
  use_journeys
  build_wasm
  build_drawings
  say "building the tests"
  cargo test --workspace --no-run
  under_lab bash .dev/suite.sh
}

run_shots() {
  install_packages "${SERVICES[@]}"
  install_browser
  use_build_tools
  use_journeys
  build_wasm
  under_lab npm run shots --prefix end2end
  say "the README's picture is in docs/shots, those of every page are in target/shots"
}
