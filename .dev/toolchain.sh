# shellcheck shell=bash
# Finds or makes a Rust toolchain that compiles for wasm32-unknown-unknown, plus wasm-bindgen and wasm-opt.
# Sourced by ./dev; every step is skipped when it is already done.
#
#   WASM_ROUTE=auto     the target if it is installed, else the distribution's compiler where there is one, else rustup
#   WASM_ROUTE=rustup   rustup target add
#   WASM_ROUTE=debian   rustc-web of Debian: its compiler is new enough, but ships no wasm standard library,
#                       so that one is compiled here, once, into a sysroot of our own; /usr is not touched

WASM_TARGET=wasm32-unknown-unknown
WASM_ROUTE=${WASM_ROUTE:-auto}
TOOLS=${ONCEWATCH_TOOLS:-${XDG_DATA_HOME:-$HOME/.local/share}/oncewatch-tools}
BINARYEN_VERSION=132.0.0

has_wasm_std() { # COMPILER: can it see a standard library for the target?
  local dir; dir=$("$1" --print target-libdir --target $WASM_TARGET 2>/dev/null) || return 1
  compgen -G "$dir/libstd-*.rlib" >/dev/null
}

use_rustup_target() {
  command -v rustup >/dev/null || return 1
  say "rustup target add $WASM_TARGET"
  timeout 180 rustup target add $WASM_TARGET >/dev/null 2>&1
  has_wasm_std rustc
}

debian_has_compiler() { command -v apt-get >/dev/null && apt-cache show rustc-web rust-web-src >/dev/null 2>&1; }

use_debian_compiler() {
  local package
  for package in rustc cargo rustup; do # rustc-web would make apt remove them
    ! installed $package || die "the Debian package '$package' conflicts with rustc-web; remove it, or set WASM_ROUTE=rustup"
  done
  install_packages rustc-web cargo-web rust-web-src rust-web-llvm
  install_packages "$(basename "$(readlink /usr/bin/rust-lld)")" # what rustc runs as the linker for wasm
  local root=$TOOLS/toolchain version; version=$(/usr/bin/rustc -V)
  if [ "$(cat "$root/built-for" 2>/dev/null)" != "$version" ]; then
    say "compiling the standard library for $WASM_TARGET, once (about a minute)"
    build_wasm_std "$root"
    echo "$version" >"$root/built-for"
  fi
  has_wasm_std "$root/bin/rustc" || die "the toolchain in $root does not see $WASM_TARGET; remove that folder and run again"
  export PATH=$root/bin:$PATH
}

build_wasm_std() { # ROOT
  local root=$1 build; build=$(mktemp -d)
  rm -rf "$root"; mkdir -p "$root/bin" "$root/lib/rustlib/$WASM_TARGET/lib" "$build/src"
  ln -s /usr/lib/rustlib/{x86_64-unknown-linux-gnu,etc,src} "$root/lib/rustlib/"
  printf '[package]\nname = "std-for-wasm"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[profile.release]\ncodegen-units = 1\n' >"$build/Cargo.toml"
  : >"$build/src/lib.rs"
  # -Zbuild-std is unstable, hence RUSTC_BOOTSTRAP, here only. The bitcode lets later builds use LTO across std.
  (cd "$build" && env -u CARGO_TARGET_DIR -u RUSTUP_TOOLCHAIN RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc \
    RUSTFLAGS="-Cembed-bitcode=yes --remap-path-prefix=$HOME=/home" \
    /usr/bin/cargo build -q --release --target $WASM_TARGET -Zbuild-std=std,panic_abort) || die "the standard library did not compile"
  find "$build/target/$WASM_TARGET/release/deps" \( -name 'lib*.rlib' -o -name 'lib*.rmeta' \) ! -name 'libstd_for_wasm*' \
    -exec cp {} "$root/lib/rustlib/$WASM_TARGET/lib/" \;
  local tool
  for tool in rustc rustdoc; do
    printf '#!/bin/sh\nexec /usr/bin/%s --sysroot "%s" "$@"\n' $tool "$root" >"$root/bin/$tool"
    chmod +x "$root/bin/$tool"
  done
  ln -s /usr/bin/cargo "$root/bin/cargo"
  rm -rf "$build"
}

use_wasm_toolchain() {
  case $WASM_ROUTE in
    auto)
      if has_wasm_std rustc; then return; fi
      if debian_has_compiler; then use_debian_compiler
      else use_rustup_target || die "no compiler for $WASM_TARGET: install rustup from https://rustup.rs, then run again"; fi ;;
    rustup) has_wasm_std rustc || use_rustup_target || die "rustup could not add $WASM_TARGET" ;;
    debian) use_debian_compiler ;;
    *) die "WASM_ROUTE is '$WASM_ROUTE'; it takes auto, rustup or debian" ;;
  esac
}

use_wasm_bindgen() { # exactly the version in Cargo.lock: the two halves speak a private format
  local wanted; wanted=$(awk '$0 == "name = \"wasm-bindgen\"" { getline; gsub(/[^0-9.]/, ""); print }' Cargo.lock)
  export PATH=$TOOLS/bin:$PATH
  [ "$("$TOOLS/bin/wasm-bindgen" -V 2>/dev/null)" != "wasm-bindgen $wanted" ] || return 0
  say "installing wasm-bindgen $wanted, once (a few minutes)"
  install_tool wasm-bindgen-cli "$wanted" # not --locked: its own lock file names a withdrawn crate
}

install_tool() { # CRATE VERSION FLAG…
  # Hardly optimised: such a tool runs for seconds and compiles for minutes.
  CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install -q "$1" --version "$2" "${@:3}" --force --root "$TOOLS" --target-dir "$TOOLS/build" || die "$1 $2 did not install"
  rm -rf "$TOOLS/build"
}

use_wasm_opt() {
  "$TOOLS/bin/wasm-opt" --version 2>/dev/null | grep -q "version ${BINARYEN_VERSION%%.*}\b" && return
  say "installing wasm-opt (npm package binaryen $BINARYEN_VERSION)"
  npm install --silent --no-audit --no-fund --prefix "$TOOLS/npm" "binaryen@$BINARYEN_VERSION" >/dev/null || die "npm could not install binaryen"
  mkdir -p "$TOOLS/bin"
  ln -sf "$TOOLS/npm/node_modules/.bin/wasm-opt" "$TOOLS/bin/wasm-opt"
}
