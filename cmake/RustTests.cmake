# Units and properties in Rust, and quiche's own suite; and the targets that compile what the tiers run.
#
# Without quiche: controllers, their contract, controllers in C and the model of the bottleneck, with debug assertions.
# Their examples are built with quiche, and read by clippy; that of the model is only read.
set(without_quiche -p quiche-cc -p quiche-cc-contract -p quiche-cc-foreign -p quiche-cc-bottleneck --no-default-features)
quiche_cc_cargo_test(controllers TIER quick LABEL unit TIMEOUT 600 COST 20 SELECTION ${without_quiche} --tests OF cc)
quiche_cc_cargo_test(contract TIER quick LABEL unit TIMEOUT 600 COST 25 SELECTION ${without_quiche} --tests OF tests/contract)
quiche_cc_cargo_test(foreign TIER quick LABEL capi TIMEOUT 600 SELECTION ${without_quiche} --tests OF cc/foreign)
quiche_cc_cargo_test(bottleneck TIER quick LABEL unit TIMEOUT 600 SELECTION ${without_quiche} --tests OF tests/bottleneck)
# What the comments of the sources show.
quiche_cc_test(doc-tests TIER quick LABEL unit TIMEOUT 120
               COMMAND "${QUICHE_CC_CARGO}" test --locked ${without_quiche} --doc)

# The packages with quiche, and those that they are made of, are compiled together, with the features of the programs. They
# share cargo's lock: what would wait for it leaves its place to others. Tests of the controllers that ask nothing of quiche
# ran above.
set(with_quiche --release -p quiche-cc -p quiche-cc-lab -p quiche-cc-record -p quiche-cc-media -p quiche-cc-capi -p quiche-cc-link
                 -p quiche-cc-endpoint -p quiche-cc-encoder)
quiche_cc_cargo_test(plugin TIER test LABEL unit TIMEOUT 600 COST 15 LOCKS cargo SELECTION ${with_quiche} OF cc
                     ONLY "quiche_cc|own_controller")
quiche_cc_cargo_test(lab TIER test LABEL lab TIMEOUT 600 COST 45 LOCKS cargo SELECTION ${with_quiche} OF tests/lab)
# Nothing in the lab's own library simulates: compiled once more for its tests, it is not optimised once more.
quiche_cc_cargo_test(lab-units TIER test LABEL lab TIMEOUT 600 LOCKS cargo
                     SELECTION ${with_quiche} --lib --config profile.release.package.quiche-cc-lab.opt-level=0
                     OF tests/lab ONLY quiche_cc_lab)
quiche_cc_cargo_test(record TIER test LABEL unit TIMEOUT 600 LOCKS cargo SELECTION ${with_quiche} OF tests/record)
quiche_cc_cargo_test(media TIER test LABEL unit TIMEOUT 600 LOCKS cargo SELECTION ${with_quiche} OF tests/media)
quiche_cc_cargo_test(encoder TIER test LABEL unit TIMEOUT 600 LOCKS cargo SELECTION ${with_quiche} OF interop/encoder)
quiche_cc_cargo_test(capi TIER test LABEL capi TIMEOUT 600 LOCKS cargo SELECTION ${with_quiche} OF cc/capi)
quiche_cc_cargo_test(link TIER test LABEL link TIMED TIMEOUT 600 SELECTION ${with_quiche} OF interop/link)
# The programs whose tests measure no time; a new file is taken for one that does.
set(untimed "quiche_cc_endpoint|cc_server|cc_client|together")
quiche_cc_cargo_test(endpoint TIER test LABEL e2e TIMEOUT 600 COST 35 SELECTION ${with_quiche} OF interop/endpoint ONLY "${untimed}")
quiche_cc_cargo_test(endpoint-timed TIER test LABEL e2e TIMED TIMEOUT 600 SELECTION ${with_quiche} OF interop/endpoint
                     BUT "${untimed}")
# quiche with what h3i, or quiche's own tests, want of it. Neither it nor what is compiled anew for them is optimised:
# that would take longer than the tests.
# Its own tests run with debug assertions and overflow checks, as quiche's authors run them.
set(quiche_quickly --config profile.release.package.quiche.opt-level=0 --config profile.release.package.qlog.opt-level=0
                   --config profile.release.package.boring.opt-level=0)
set(quiche_asserting --config profile.release.package.quiche.debug-assertions=true
                     --config profile.release.package.quiche.overflow-checks=true)
quiche_cc_cargo_test(quiche TIER test LABEL upstream TIMEOUT 900 COST 40 LOCKS cargo
                     SELECTION --release -p quiche --lib --features qlog,internal,ffi,unstable-congestion-control
                               ${quiche_quickly} ${quiche_asserting})
quiche_cc_cargo_test(http3 TIER test LABEL e2e TIMED TIMEOUT 300 SELECTION --release -p quiche-cc-http3 ${quiche_quickly})

get_property(compile_quick GLOBAL PROPERTY quiche_cc_compile_quick)
add_custom_target(quick-programs
  ${compile_quick}
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Test programs without quiche"
  USES_TERMINAL VERBATIM)
# cargo reads the manifest of every member of the workspace, so quiche's sources have to be there.
add_dependencies(quick-programs quiche-source python-environment)

get_property(compile_test GLOBAL PROPERTY quiche_cc_compile_test)
add_custom_target(test-programs
  ${compile_test}
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Test programs"
  USES_TERMINAL VERBATIM)
# After the programs: cargo would wait for its lock with nothing to show for it.
add_dependencies(test-programs quick-programs programs)
