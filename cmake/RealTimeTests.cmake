# Programs over real sockets in real time: what a user does, and what the quic-interop-runner does.
set(runner_contract tests/e2e/test_runner_contract.py)
quiche_cc_test(end-to-end TIER test LABEL e2e TIMED TIMEOUT 900
               COMMAND ${pytest} tests/e2e --ignore=${runner_contract})

# Waits most of the time, and asserts on what happened, or that it took long enough; but for `goodput`.
quiche_cc_test(runner-contract TIER test LABEL e2e TIMEOUT 900 COST 400
               COMMAND ${pytest} ${runner_contract} -k "not goodput")
quiche_cc_test(runner-goodput TIER test LABEL e2e TIMED TIMEOUT 120 COMMAND ${pytest} ${runner_contract} -k goodput)
