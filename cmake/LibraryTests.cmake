# libquiche as somebody else has it (label `capi`): installed, packaged, linked against, compared with the published one.

# quiche without the patches; BoringSSL is that of the programs. After them: cargo would wait for its lock.
add_custom_target(upstream-library
  COMMAND ${QUICHE_CC_PYTHON} "${CMAKE_SOURCE_DIR}/tests/c/upstream/build.py"
          "${QUICHE_CC_CARGO}" "${CMAKE_BINARY_DIR}/target" "${CMAKE_BINARY_DIR}/upstream"
  COMMENT "libquiche as it was published"
  USES_TERMINAL VERBATIM)
add_dependencies(upstream-library programs)
add_dependencies(test-programs upstream-library library)

quiche_cc_test(c-install TIER test LABEL capi TIMEOUT 300 COST 15
               COMMAND ${pytest} tests/c/test_install.py tests/c/test_package.py)
quiche_cc_test(c-abi TIER test LABEL capi TIMEOUT 300 COMMAND ${pytest} tests/c/test_abi.py)
set(transfers tests/c/test_transfer.py tests/c/test_plugin.py tests/c/test_forced.py)
quiche_cc_test(c-transfer TIER test LABEL capi TIMEOUT 600 COST 45 COMMAND ${pytest} ${transfers} -m "not timed")
quiche_cc_test(c-queueing TIER test LABEL capi TIMED TIMEOUT 600 COMMAND ${pytest} ${transfers} -m timed)
