# shellcheck shell=bash
# The two halves: WebAssembly for the browser, then the server that carries it.

TARGET_DIR=${CARGO_TARGET_DIR:-target}
SITE=target/site/pkg # where the server takes it from

use_build_tools() {
  command -v cc >/dev/null || install_packages build-essential
  need_node
  use_wasm_toolchain
  use_wasm_bindgen
  use_wasm_opt
}

build_wasm() {
  local stamp=$SITE/built-from inputs
  inputs=$(wasm_inputs)
  if [ "$(cat $stamp 2>/dev/null)" = "$inputs" ]; then return; fi
  say "building the browser's half"
  cargo build -p app --lib --no-default-features --features hydrate --target "$WASM_TARGET" --profile wasm-release
  rm -rf $SITE
  wasm-bindgen --target web --no-typescript --out-name oncewatch --out-dir $SITE "$TARGET_DIR/$WASM_TARGET/wasm-release/app.wasm"
  shrink_wasm $SITE/oncewatch_bg.wasm $SITE/oncewatch.wasm # the name that pages ask for
  rm $SITE/oncewatch_bg.wasm
  compress $SITE/oncewatch.wasm $SITE/oncewatch.js
  echo "$inputs" >$stamp
}

# The same code with `draw` in it, for the journey that compares what both halves draw.
DRAWINGS=target/drawings

build_drawings() {
  local inputs
  inputs=$(wasm_inputs)
  if [ "$(cat $DRAWINGS/built-from 2>/dev/null)" = "$inputs" ]; then return; fi
  say "building the charts for their comparison"
  cargo build -p app --lib --no-default-features --features drawings --target "$WASM_TARGET" --profile wasm-release
  wasm-bindgen --target nodejs --no-typescript --out-name drawings --out-dir $DRAWINGS "$TARGET_DIR/$WASM_TARGET/wasm-release/app.wasm"
  echo "$inputs" >$DRAWINGS/built-from
}

# By content, not by time: a change of branch and back builds nothing.
wasm_inputs() {
  { rustc -V; find app Cargo.toml Cargo.lock .cargo .dev/build.sh .dev/toolchain.sh -type f -print0 | sort -z | xargs -0 sha256sum; } |
    sha256sum
}

shrink_wasm() { # FROM TO; the features are those that rustc emits and every current browser has
  wasm-opt -Oz --enable-bulk-memory --enable-bulk-memory-opt --enable-nontrapping-float-to-int --enable-sign-ext \
    --enable-mutable-globals --enable-reference-types --enable-multivalue --enable-call-indirect-overlong -o "$2" "$1"
}

compress() { # FILE…: FILE.br beside each, as small as it gets, which is too slow for each visit
  node -e 'const fs = require("fs"), zlib = require("zlib");
    for (const name of process.argv.slice(1)) fs.writeFileSync(name + ".br", zlib.brotliCompressSync(fs.readFileSync(name)));' "$@"
}

build_server() { # all members at once: asked for one by one, their crates would be built with other features, again
  say "building the server"
  cargo build --workspace
}
