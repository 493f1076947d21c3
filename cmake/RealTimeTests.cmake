# Programs over real sockets in real time: what a user does, and what the quic-interop-runner does.
set(runner_contract tests/e2e/test_runner_contract.py)
set(crosstraffic tests/e2e/test_crosstraffic.py)
quiche_cc_test(end-to-end TIER test LABEL e2e TIMED TIMEOUT 900 COMMAND ${pytest} tests/e2e -m timed)
quiche_cc_test(end-to-end-traces TIER test LABEL e2e TIMEOUT 600 COST 50
               COMMAND ${pytest} tests/e2e/test_traces.py tests/e2e/test_record.py
                       tests/e2e/test_programs.py)

# Three encoders at once, each over a link of its own: what is compared was measured at the same time.
quiche_cc_test(live-encoder TIER test LABEL e2e TIMED TIMEOUT 180 COMMAND ${pytest} tests/e2e/test_live_encoder.py)

# Waits most of the time, and asserts on what happened, or that it took long enough; but for `goodput`.
quiche_cc_test(runner-contract TIER test LABEL e2e TIMEOUT 900 COST 400
               COMMAND ${pytest} ${runner_contract} -k "not goodput")
quiche_cc_test(runner-goodput TIER test LABEL e2e TIMED TIMEOUT 120 COMMAND ${pytest} ${runner_contract} -k goodput)

# Beside the kernel's TCP. Where no network namespaces can be made it says so, and counts as skipped.
quiche_cc_test(runner-crosstraffic TIER test LABEL e2e TIMEOUT 240 COST 40
               COMMAND sh -c "${skipped_aloud}" "${CMAKE_BINARY_DIR}/runner-crosstraffic.log" ${pytest} ${crosstraffic} -k part)
if(QUICHE_CC_NIGHTLY)
  quiche_cc_test(runner-crosstraffic-whole TIER nightly LABEL e2e TIMEOUT 240
                 COMMAND sh -c "${skipped_aloud}" "${CMAKE_BINARY_DIR}/runner-crosstraffic-whole.log" ${pytest}
                         ${crosstraffic} -k whole)
endif()

# That the benchmarks of a loaded server measure; what comes out is published, and has no bound.
quiche_cc_test(load-benchmarks TIER test LABEL e2e TIMEOUT 180 COST 20 COMMAND ${pytest} tests/load)
