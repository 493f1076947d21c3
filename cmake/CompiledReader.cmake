# The compiled reader of qlog-analysis (qlog-analysis/reader): a cargo workspace of its own, which needs neither quiche nor
# the workspace's lock. `PythonVenv.cmake` builds it.
set(manifest --manifest-path "${qlog_analysis}/reader/Cargo.toml")
set(there --locked ${manifest} --target-dir "${reader}")

quiche_cc_test(reader TIER quick LABEL python TIMEOUT 300
               COMMAND "${QUICHE_CC_CARGO}" test --release --no-default-features ${there})
# Otherwise the tests of qlog-analysis would run without it, and nothing else would tell.
quiche_cc_test(reader-is-used TIER quick LABEL python TIMEOUT 60
               COMMAND "${QUICHE_CC_VENV_PYTHON}" -c "from qlog_analysis import compiled; assert compiled.READER")
quiche_cc_cargo_lint(reader-rustfmt TIER quick TOOL fmt --check ${manifest})
quiche_cc_cargo_lint(reader-clippy TIER quick nightly TOOL clippy --release --all-targets ${there} -- --no-deps -D warnings)
quiche_cc_cargo_lint(reader-deny TIER quick nightly
                     TOOL deny ${manifest} --config "${CMAKE_SOURCE_DIR}/deny.toml" --locked check bans licenses sources)
