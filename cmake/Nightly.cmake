# What takes hours or tools of its own: all claims and targets, all suites, the fuzzer (tokio-quiche: TokioQuiche.cmake).
# Results stay in build/nightly; `cc-lab` keeps its runs there and makes only those that the build before did not make.
if(NOT QUICHE_CC_NIGHTLY)
  return()
endif()

# Installed when this is configured, so that nothing of it is skipped; apart from the workspace's target folder.
# What is behind the version it wants before it tells its own.
function(quiche_cc_tool name version)
  execute_process(COMMAND "${QUICHE_CC_TOOLS}/bin/${name}" ${ARGN} --version OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND found MATCHES " ${version}\n")
    return()
  endif()
  message(STATUS "Installing ${name} ${version} into ${QUICHE_CC_TOOLS}: some minutes")
  execute_process(COMMAND "${QUICHE_CC_CARGO}" install --locked --force --version =${version}
                          --root "${QUICHE_CC_TOOLS}" --target-dir "${QUICHE_CC_TOOLS}/target" ${name}
                  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${QUICHE_CC_TOOLS}/target")
endfunction()
quiche_cc_tool(cargo-deny 0.20.2)
# Its version stands in tests/mutants/by_tests.py, too: another one makes other mutants.
quiche_cc_tool(cargo-mutants 27.1.0 mutants)

# An honest client beside hostile ones, at their full size, and what thousands of connections leave behind; a small part
# of it is in the tier `test`.
set(load_tests "${QUICHE_CC_CARGO}" test --locked --release -p quiche-cc-endpoint --test load --test leaks)
quiche_cc_test(load TIER nightly LABEL load TIMED TIMEOUT 1200
               COMMAND ${load_tests} -- --ignored --test-threads 1 --nocapture)
add_custom_target(load-programs COMMAND ${load_tests} --no-run WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" USES_TERMINAL VERBATIM)
add_dependencies(load-programs programs)

set(nightly "${CMAKE_BINARY_DIR}/nightly")
quiche_cc_test(all-papers TIER nightly LABEL all-papers TIMEOUT 7200 PROCESSORS 2
               COMMAND "${lab}" claims --out "${nightly}/papers")
quiche_cc_test(all-targets TIER nightly LABEL all-targets TIMEOUT 7200 PROCESSORS 2
               COMMAND "${lab}" claims --claims tests/targets --out "${nightly}/targets")
quiche_cc_test(all-safety TIER nightly LABEL all-safety TIMEOUT 3600 PROCESSORS 2
               COMMAND "${lab}" claims --claims tests/safety --out "${nightly}/safety")

# That a lone flow of hybrid does not starve, by a solver (docs/results/lemmas.md).
quiche_cc_test(lemmas-of-paths TIER nightly LABEL lemmas TIMEOUT 3600 COMMAND ${pytest} "${lemmas}/test_paths.py")

# RFC 9743, criterion by criterion (docs/results/rfc9743.md).
quiche_cc_test(rfc9743 TIER nightly LABEL rfc9743 TIMEOUT 3600 PROCESSORS 2
               COMMAND "${lab}" claims --claims tests/rfc9743 --out "${nightly}/rfc9743")

file(GLOB suites CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/suites/*.toml")
foreach(suite IN LISTS suites)
  cmake_path(GET suite STEM name)
  quiche_cc_test(suite-${name} TIER nightly LABEL suites TIMEOUT 28800 PROCESSORS 2
                 COMMAND "${lab}" compare "${suite}" --out "${nightly}/suites/${name}")
endforeach()

# How many broken controllers the checker finds, and how many honest ones it accuses (docs/results/mutants.md). Mutants that a time limit
# cut off are built in the next call.
set(mutants "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests" "${QUICHE_CC_VENV_PYTHON}" -m mutants)
quiche_cc_test(mutants-found TIER nightly LABEL mutants TIMEOUT 14400 LOCKS cargo
               COMMAND ${mutants} run --build-dir "${CMAKE_BINARY_DIR}" --out "${nightly}/mutants" --least 0.95)
quiche_cc_test(mutants-honest TIER nightly LABEL mutants TIMEOUT 14400
               COMMAND ${mutants} honest --build-dir "${CMAKE_BINARY_DIR}" --out "${nightly}/mutants" --count 2000 --most 26)

# How many mutants of the code the tests find that need no quiche (docs/results/mutants.md): another tenth than the page has.
# In a target folder of its own.
quiche_cc_test(mutants-tests TIER nightly LABEL mutants TIMEOUT 14400
               COMMAND ${mutants} tests --build-dir "${CMAKE_BINARY_DIR}" --out "${nightly}/mutants" --shard 0/10 --least 0.85)

# Tests of qlog-analysis with more cases than those of the tier `test` (cmake/AnalysisTests.cmake).
quiche_cc_test(qlog-analysis-more-cases TIER nightly LABEL more-cases TIMEOUT 3600
               COMMAND ${pytest} -m nightly qlog-analysis/tests)

# How fast qlog-analysis reads, beside Python's own JSON reader (qlog-analysis/README.md, "Speed and memory").
quiche_cc_test(reading-speed TIER nightly LABEL speed TIMED TIMEOUT 1800
               COMMAND "${QUICHE_CC_VENV_PYTHON}" qlog-analysis/tests/speed.py --lab "${lab}" --folder "${CMAKE_BINARY_DIR}"
                       --memory 2000 --most-memory 0.2 --least decode=4 --least metrics=2 --least invariants=1.5)

# The series on a release that is newer than the pinned one; skipped where there is none.
quiche_cc_test(newest-release TIER nightly LABEL structure TIMEOUT 300
               COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/patches/series.py" try-release)
# BBR2 over quiche as published, with the interface and with the whole series. It builds two of these three.
quiche_cc_test(cost-of-interface TIER nightly LABEL cost TIMEOUT 1800 LOCKS cargo
               COMMAND "${QUICHE_CC_VENV_PYTHON}" "${CMAKE_SOURCE_DIR}/tests/cost/bbr2.py" --check)

# The hunt at full size (docs/results/hunt.md): random paths, the worst of each harm, those that are known, and what it has
# to find: faults that are planted, and a published weakness.
quiche_cc_test(hunt-sweep-large TIER nightly LABEL hunts TIMEOUT 7200 PROCESSORS 2
               COMMAND ${hunt} sweep --count 2000 --jobs 2 --most 0.28 --again --out "${nightly}/hunt")
quiche_cc_test(hunt-worst TIER nightly LABEL hunts TIMEOUT 7200 PROCESSORS 2
               COMMAND ${hunt} run --jobs 2 --worst 8 --out "${nightly}/hunt")
quiche_cc_test(hunt-bounds-all TIER nightly LABEL hunts TIMEOUT 1800 PROCESSORS 2
               COMMAND "${lab}" claims --claims tests/hunt/bounds --out "${nightly}/hunt-bounds")
quiche_cc_test(hunt-planted TIER nightly LABEL hunts TIMEOUT 7200 PROCESSORS 2 LOCKS cargo
               COMMAND ${hunt} planted --jobs 2 --least 9 --out "${nightly}/hunt")
quiche_cc_test(hunt-weakness TIER nightly LABEL hunts TIMEOUT 1800 PROCESSORS 2
               COMMAND ${hunt} weakness --jobs 2 --out "${nightly}/hunt")

# libFuzzer as cargo-fuzz sets it up without a sanitizer (the controllers have no unsafe code), which a stable compiler can.
# With --target these flags are not for build scripts and macros, which would lack the fuzzer's runtime.
execute_process(COMMAND "${QUICHE_CC_CARGO}" -vV OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "host: ([^\n]+)" found "${version}")
set(host "${CMAKE_MATCH_1}")
set(coverage -Cpasses=sancov-module)
foreach(option IN ITEMS level=4 inline-8bit-counters pc-table trace-compares)
  list(APPEND coverage -Cllvm-args=-sanitizer-coverage-${option})
endforeach()
list(JOIN coverage " " coverage)
set(fuzz "${CMAKE_BINARY_DIR}/fuzz")
add_custom_target(fuzz-target
  COMMAND ${CMAKE_COMMAND} -E make_directory "${fuzz}/corpus" "${fuzz}/found"
  COMMAND ${CMAKE_COMMAND} -E env "RUSTFLAGS=${coverage} --cfg=fuzzing -Ccodegen-units=1 -Cdebug-assertions=on"
          "${QUICHE_CC_CARGO}" build --release --locked --manifest-path "${CMAKE_SOURCE_DIR}/tests/contract/fuzz/Cargo.toml"
          --target ${host} --target-dir "${fuzz}"
  COMMENT "Fuzz target"
  USES_TERMINAL VERBATIM)
add_dependencies(fuzz-target quiche-source)

# Ten minutes from the same seed, on from the inputs that were found before. What fails is left in build/fuzz/found.
quiche_cc_test(fuzz TIER nightly LABEL fuzz TIMEOUT 900
               COMMAND "${fuzz}/${host}/release/operations" -seed=1 -max_total_time=600 -timeout=30 -rss_limit_mb=4096
                       -artifact_prefix=${fuzz}/found/ -print_final_stats=1 "${fuzz}/corpus")

add_custom_target(nightly-programs)
add_dependencies(nightly-programs programs library server python-environment load-programs fuzz-target tokio-quiche)
