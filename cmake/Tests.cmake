# Every test, with its label:
#   unit       Rust units and properties          python     qlog-analysis
#   upstream   quiche's own suite, patched tree   structure  patch series, dependency rule
#   link       the real-time bottleneck           lint       formatters, linters, type checks
#   e2e        server, link and client over real sockets
#   lab        whole connections in virtual time    cost       instructions per ACK
#   tokio      a server on tokio-quiche, if asked for
# `ctest --test-dir build -L unit` runs one label. A room that is missing makes its test fail.

# quiche_cc_test(NAME LABEL label TIMEOUT seconds [SERIAL] COMMAND ...)
function(quiche_cc_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "SERIAL" "LABEL;TIMEOUT" "COMMAND")
  add_test(NAME ${name} COMMAND ${test_COMMAND} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES
    LABELS ${test_LABEL} TIMEOUT ${test_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "QUICHE_CC_BUILD_DIR=${CMAKE_BINARY_DIR};QUICHE_CC_BIN_DIR=${CMAKE_BINARY_DIR}/bin")
  if(test_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# quiche_cc_cargo_test(NAME LABEL ... TIMEOUT ... [SERIAL] ARGUMENTS ...): `cargo test`, compiled in the build
# step, where progress is seen and no timeout runs.
function(quiche_cc_cargo_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "SERIAL" "LABEL;TIMEOUT" "ARGUMENTS")
  set(serial "")
  if(test_SERIAL)
    set(serial SERIAL)
  endif()
  set(cargo_test ${QUICHE_CC_CARGO} test --locked ${test_ARGUMENTS})
  quiche_cc_test(${name} LABEL ${test_LABEL} TIMEOUT ${test_TIMEOUT} ${serial} COMMAND ${cargo_test})
  set_property(GLOBAL APPEND PROPERTY quiche_cc_compile_tests COMMAND ${cargo_test} --no-run)
endfunction()

# The controllers need no quiche, so they are tested without it, with debug assertions.
quiche_cc_cargo_test(controllers LABEL unit TIMEOUT 600 ARGUMENTS -p quiche-cc --no-default-features)
quiche_cc_cargo_test(contract LABEL unit TIMEOUT 600 ARGUMENTS -p quiche-cc-contract)
quiche_cc_cargo_test(plugin LABEL unit TIMEOUT 600 ARGUMENTS --release -p quiche-cc)
quiche_cc_cargo_test(bottleneck LABEL unit TIMEOUT 600 ARGUMENTS --release -p quiche-cc-bottleneck)
quiche_cc_cargo_test(lab LABEL lab TIMEOUT 600 ARGUMENTS --release -p quiche-cc-lab)
quiche_cc_cargo_test(link LABEL link TIMEOUT 600 SERIAL ARGUMENTS --release -p quiche-cc-link)
quiche_cc_cargo_test(endpoint LABEL e2e TIMEOUT 600 SERIAL ARGUMENTS --release -p quiche-cc-endpoint)
quiche_cc_cargo_test(http3 LABEL e2e TIMEOUT 300 SERIAL ARGUMENTS --release -p quiche-cc-http3)
quiche_cc_cargo_test(quiche LABEL upstream TIMEOUT 900
                     ARGUMENTS --release -p quiche --lib --features qlog,internal,ffi)

get_property(compile_tests GLOBAL PROPERTY quiche_cc_compile_tests)
add_custom_target(test-programs
  ${compile_tests}
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Test programs"
  USES_TERMINAL VERBATIM)
# After the programs: cargo would wait for its lock with nothing to show for it.
add_dependencies(test-programs quiche-source programs)

# The claims of papers; the report with its figures stays in build/papers.
quiche_cc_test(papers LABEL lab TIMEOUT 300
               COMMAND "${CMAKE_BINARY_DIR}/bin/cc-lab" papers --only H,S --out "${CMAKE_BINARY_DIR}/papers")

# The main points of docs/targets.md, with margins.
quiche_cc_test(targets LABEL lab TIMEOUT 180
               COMMAND "${CMAKE_BINARY_DIR}/bin/cc-lab" papers --papers tests/targets/quick --out "${CMAKE_BINARY_DIR}/targets")

# What can hurt a user (docs/targets.md), the main points.
quiche_cc_test(safety LABEL lab TIMEOUT 60
               COMMAND "${CMAKE_BINARY_DIR}/bin/cc-lab" papers --papers tests/safety/quick --out "${CMAKE_BINARY_DIR}/safety")

set(pytest "${QUICHE_CC_VENV_PYTHON}" -m pytest -q -p no:cacheprovider)
# Constants of hybrid's default profile: a search of seconds, judged and drawn (docs/search.md). Its program is an example
# of quiche-cc, built with the test programs.
quiche_cc_test(search LABEL lab TIMEOUT 300 COMMAND ${pytest} tests/search)
quiche_cc_test(targets-traces LABEL lab TIMEOUT 60 COMMAND ${pytest} tests/targets)
quiche_cc_test(cost LABEL cost TIMEOUT 300 COMMAND "${QUICHE_CC_VENV_PYTHON}" tests/cost/cost.py --check)
quiche_cc_test(cost-of-profiles LABEL cost TIMEOUT 60 COMMAND ${pytest} tests/cost)
quiche_cc_test(qlog-analysis LABEL python TIMEOUT 1200 COMMAND ${pytest} qlog-analysis)
set(runner_contract tests/e2e/test_runner_contract.py)
quiche_cc_test(end-to-end LABEL e2e TIMEOUT 900 SERIAL COMMAND ${pytest} tests/e2e --ignore=${runner_contract})
quiche_cc_test(runner-contract LABEL e2e TIMEOUT 900 SERIAL COMMAND ${pytest} ${runner_contract})
quiche_cc_test(structure LABEL structure TIMEOUT 300 COMMAND ${pytest} tests/structure)
quiche_cc_test(patch-series LABEL structure TIMEOUT 300
               COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/patches/series.py" check)

# A tool that is not installed is reported as skipped (77), not as passed.
function(quiche_cc_cargo_lint name tool)
  set(script "\"$0\" ${tool} --version >/dev/null 2>&1 || { echo 'skipped: cargo ${tool} is not installed'; exit 77; }")
  quiche_cc_test(${name} LABEL lint TIMEOUT 900
                 COMMAND sh -c "${script}; exec \"$0\" ${tool} \"$@\"" "${QUICHE_CC_CARGO}" ${ARGN})
endfunction()

set(own_packages -p quiche-cc -p quiche-cc-bottleneck -p quiche-cc-contract -p quiche-cc-lab -p quiche-cc-link
                 -p quiche-cc-endpoint -p quiche-cc-http3 -p quiche-cc-capi -p quiche-cc-foreign)
quiche_cc_cargo_lint(rustfmt fmt --check ${own_packages})
quiche_cc_cargo_lint(clippy clippy --release --locked ${own_packages} --all-targets -- --no-deps -D warnings)
quiche_cc_cargo_lint(cargo-deny deny --locked check bans licenses sources)

set(python_rooms patches qlog-analysis tests interop)
set(ruff "${QUICHE_CC_VENV_PYTHON}" -m ruff)
quiche_cc_test(ruff LABEL lint TIMEOUT 300 COMMAND ${ruff} check ${python_rooms})
quiche_cc_test(ruff-format LABEL lint TIMEOUT 300 COMMAND ${ruff} format --check ${python_rooms})

# Room by room: the files of a room import each other by name.
foreach(room IN ITEMS patches tests/structure tests/e2e tests/cost tests/search tests/targets interop/demo)
  string(REPLACE "/" "-" name "mypy-${room}")
  quiche_cc_test(${name} LABEL lint TIMEOUT 300
                 COMMAND "${QUICHE_CC_VENV_PYTHON}" -m mypy --config-file mypy.ini ${room})
endforeach()
quiche_cc_test(mypy-qlog-analysis LABEL lint TIMEOUT 300
               COMMAND ${CMAKE_COMMAND} -E chdir qlog-analysis "${QUICHE_CC_VENV_PYTHON}" -m mypy)
