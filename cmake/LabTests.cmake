# Whole connections in virtual time: claims and targets, the constants' search, and what an ACK costs.
set(lab "${CMAKE_BINARY_DIR}/bin/cc-lab")

# The claims of papers; the report with its figures stays in build/papers.
quiche_cc_test(papers TIER test LABEL lab TIMEOUT 300 COST 60 PROCESSORS 2
               COMMAND "${lab}" claims --only H,S --out "${CMAKE_BINARY_DIR}/papers")

# The main points of docs/targets.md, with margins.
quiche_cc_test(targets TIER test LABEL lab TIMEOUT 180 PROCESSORS 2
               COMMAND "${lab}" claims --claims tests/targets/quick --out "${CMAKE_BINARY_DIR}/targets")

# What can hurt a user (docs/targets.md), the main points.
quiche_cc_test(safety TIER test LABEL lab TIMEOUT 60 PROCESSORS 2
               COMMAND "${lab}" claims --claims tests/safety/quick --out "${CMAKE_BINARY_DIR}/safety")

# Runs on Dask's workers, one of which is killed (docs/cluster.md).
quiche_cc_test(cluster TIER test LABEL lab TIMEOUT 180 COST 12 COMMAND ${pytest} tests/cluster)

# Constants of hybrid's default profile: a search of seconds, judged and drawn (docs/search.md). Its program is an example
# of quiche-cc, built with the test programs.
quiche_cc_test(search TIER test LABEL lab TIMEOUT 300 COST 10 COMMAND ${pytest} tests/search)
# Lemmas on hybrid's control step (docs/results/lemmas.md); those of a path take minutes.
set(lemmas "${CMAKE_SOURCE_DIR}/tests/lemmas")
quiche_cc_test(lemmas TIER test LABEL lemmas TIMEOUT 600 COST 25
               COMMAND ${pytest} "${lemmas}/test_adversary.py" "${lemmas}/test_lemmas.py" "${lemmas}/test_vectors.py")
# The hunt for bad paths (docs/results/hunt.md): its parts, a small sweep, and the worst paths that were found.
set(hunt "${CMAKE_COMMAND}" -E env "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests" "${QUICHE_CC_VENV_PYTHON}" -m hunt)
quiche_cc_test(hunt TIER test LABEL hunt TIMEOUT 120 COST 6 COMMAND ${pytest} tests/hunt)
quiche_cc_test(hunt-sweep TIER test LABEL hunt TIMEOUT 180 COST 10
               COMMAND ${hunt} sweep --count 24 --mean 0.76 --worst 3.2 --out "${CMAKE_BINARY_DIR}/hunt-sweep")
quiche_cc_test(hunt-bounds TIER test LABEL hunt TIMEOUT 120 COST 5 PROCESSORS 2
               COMMAND "${lab}" claims --claims tests/hunt/bounds/quick --out "${CMAKE_BINARY_DIR}/hunt-bounds")
quiche_cc_test(rfc9743-page TIER test LABEL lab TIMEOUT 60 COMMAND ${pytest} tests/rfc9743)
quiche_cc_test(targets-traces TIER test LABEL lab TIMEOUT 60 COMMAND ${pytest} tests/targets)

# What receive timestamps are worth and cost (docs/results/receive-timestamps.md), on a path of seconds.
quiche_cc_test(receive-timestamps TIER test LABEL lab TIMEOUT 120 COST 5 COMMAND ${pytest} tests/receive_timestamps)

# Instructions are counted, not timed: what runs beside it changes nothing.
quiche_cc_test(cost TIER test LABEL cost TIMEOUT 300 COST 15
               COMMAND "${QUICHE_CC_VENV_PYTHON}" tests/cost/cost.py --check)
quiche_cc_test(cost-of-profiles TIER test LABEL cost TIMEOUT 60 COMMAND ${pytest} tests/cost)
