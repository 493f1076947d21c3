# The server on tokio-quiche (interop/tokio-quiche): a cargo workspace of its own, in which nearly every crate is built
# again, and so only for the tier `nightly` and on demand.
option(QUICHE_CC_TOKIO "Build and test the server on tokio-quiche, too: 320 crates, some minutes" OFF)

set(tokio "${CMAKE_SOURCE_DIR}/interop/tokio-quiche")
# What changes the dependencies of cc, http3 or quiche changes its lock file; that is told also where it isn't built.
quiche_cc_test(tokio-quiche-lock TIER quick LABEL structure TIMEOUT 60
               COMMAND "${QUICHE_CC_CARGO}" update --workspace --locked --manifest-path "${tokio}/Cargo.toml")
if(NOT QUICHE_CC_TOKIO AND NOT QUICHE_CC_NIGHTLY)
  return()
endif()

# boring-sys made BoringSSL for the programs already, and takes that instead of making another.
set(boringssl "${CMAKE_BINARY_DIR}/tokio-quiche/boringssl")
set(tokio_cargo ${CMAKE_COMMAND} -E env "BORING_BSSL_PATH=${boringssl}/build"
                                        "BORING_BSSL_INCLUDE_PATH=${boringssl}/boringssl/include"
                ${CMAKE_COMMAND} -E chdir "${tokio}" "${QUICHE_CC_CARGO}")

add_custom_target(tokio-quiche ALL
  COMMAND ${CMAKE_COMMAND} "-DCARGO=${QUICHE_CC_CARGO}" "-DLOCK=${tokio}/Cargo.lock" "-DLINK=${boringssl}"
          -P "${CMAKE_SOURCE_DIR}/cmake/find-boringssl.cmake"
  COMMAND ${tokio_cargo} test --release --locked --no-run
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Server on tokio-quiche"
  USES_TERMINAL VERBATIM)
add_dependencies(tokio-quiche programs)

quiche_cc_test(tokio-quiche TIER nightly LABEL tokio TIMED TIMEOUT 300 COMMAND ${tokio_cargo} test --release --locked)
quiche_cc_test(tokio-quiche-rustfmt TIER nightly LABEL tokio TIMEOUT 60 COMMAND ${tokio_cargo} fmt --check)
quiche_cc_test(tokio-quiche-clippy TIER nightly LABEL tokio TIMEOUT 900
               COMMAND ${tokio_cargo} clippy --release --locked --all-targets -- --no-deps -D warnings)
quiche_cc_cargo_lint(tokio-quiche-deny TIER nightly
                     TOOL deny --manifest-path "${tokio}/Cargo.toml" --config "${CMAKE_SOURCE_DIR}/deny.toml" --locked
                          check bans licenses sources)
