# Rules of the sources: structure and patch series, formatters, linters, type checks, licences.
quiche_cc_test(structure TIER quick LABEL structure TIMEOUT 300 COST 25 COMMAND ${pytest} tests/structure)
quiche_cc_test(patch-series TIER quick LABEL structure TIMEOUT 300
               COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/patches/series.py" check)

# quiche_cc_cargo_lint(NAME TOOL words... and what quiche_cc_test takes but LABEL, TIMEOUT and COMMAND): a tool that is not installed is
# reported as skipped (77), not as passed. Those of build/tools go first.
function(quiche_cc_cargo_lint name)
  cmake_parse_arguments(PARSE_ARGV 1 lint "" "" "TOOL")
  list(POP_FRONT lint_TOOL tool)
  set(script "PATH=\"$1:$PATH\"; shift; \"$0\" ${tool} --version >/dev/null 2>&1 || { echo 'skipped: cargo ${tool} is not installed'; exit 77; }")
  quiche_cc_test(${name} LABEL lint TIMEOUT 900 ${lint_UNPARSED_ARGUMENTS}
                 COMMAND sh -c "${script}; exec \"$0\" ${tool} \"$@\"" "${QUICHE_CC_CARGO}" "${QUICHE_CC_TOOLS}/bin" ${lint_TOOL})
endfunction()

set(without_quiche -p quiche-cc-bottleneck -p quiche-cc-contract -p quiche-cc-foreign)
set(own_packages -p quiche-cc ${without_quiche} -p quiche-cc-lab -p quiche-cc-record -p quiche-cc-link -p quiche-cc-endpoint
                 -p quiche-cc-http3 -p quiche-cc-capi -p quiche-cc-media -p quiche-cc-encoder)
quiche_cc_cargo_lint(rustfmt TIER quick TOOL fmt --check ${own_packages})
# In a folder of its own, so that cargo's lock holds up no test. Not in `test` (CMakePresets.json): it reads once more what
# the tests compile. The full one, which reads all that quiche and the programs want first, takes minutes: it runs at
# night, shares BoringSSL with the programs, and so the lock.
quiche_cc_cargo_lint(clippy-quick TIER quick nightly COST 30
                     TOOL clippy --target-dir "${CMAKE_BINARY_DIR}/clippy" --locked -p quiche-cc ${without_quiche} --no-default-features --all-targets
                          -- --no-deps -D warnings)
quiche_cc_cargo_lint(clippy TIER nightly COST 60 LOCKS cargo
                     TOOL clippy --release --locked ${own_packages} --all-targets -- --no-deps -D warnings)
# In all of them, once the tool is there.
quiche_cc_cargo_lint(cargo-deny TIER quick nightly TOOL deny --locked check bans licenses sources)

set(python_directories patches qlog-analysis tests interop docs)
set(ruff "${QUICHE_CC_VENV_PYTHON}" -m ruff)
quiche_cc_test(ruff TIER quick LABEL lint TIMEOUT 300 COMMAND ${ruff} check ${python_directories})
quiche_cc_test(ruff-format TIER quick LABEL lint TIMEOUT 300 COMMAND ${ruff} format --check ${python_directories})

# Names of other languages and of tests that it takes for mistakes stand in .codespellrc. Private words and long lines of
# documents are a matter of tests/structure.
quiche_cc_test(codespell TIER quick LABEL lint TIMEOUT 120
               COMMAND "${QUICHE_CC_VENV_PYTHON}" -m codespell_lib .)

# Directory by directory: the files of one import each other by name. One after the other: they share mypy's cache.
foreach(directory IN ITEMS docs/site interop/demo interop/matrix interop/programs interop/testbed patches tests/c
                      tests/cluster tests/cost tests/docs tests/e2e tests/hunt tests/lemmas tests/load tests/matrix
                      tests/mutants tests/programs tests/published tests/receive_timestamps tests/release
                      tests/report tests/rfc9743 tests/search tests/structure tests/targets)
  string(REPLACE "/" "-" name "mypy-${directory}")
  quiche_cc_test(${name} TIER quick LABEL lint TIMEOUT 300 LOCKS mypy
                 COMMAND "${QUICHE_CC_VENV_PYTHON}" -m mypy --config-file mypy.ini ${directory})
endforeach()
quiche_cc_test(mypy-qlog-analysis TIER quick LABEL lint TIMEOUT 300 COST 15 OVER "${CMAKE_SOURCE_DIR}/qlog-analysis"
               COMMAND "${QUICHE_CC_VENV_PYTHON}" -m mypy)
