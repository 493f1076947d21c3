# Python: qlog-analysis, in parts that share no traces, so that they run side by side. Each makes its traces once.
set(pytest "${QUICHE_CC_VENV_PYTHON}" -m pytest -q -p no:cacheprovider)

# What makes its traces with cc-lab cannot be `quick`, and what takes tens of seconds should not; a new file goes by the
# same rules.
file(GLOB files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/qlog-analysis/tests/test_*.py")
foreach(file IN LISTS files)
  file(STRINGS "${file}" imports_lab REGEX "^(import lab|from lab)")
  cmake_path(GET file STEM name)
  if(name MATCHES "_browser$")
    list(APPEND of_browser "${file}")
  elseif(name MATCHES "^test_laws_")
    list(APPEND of_laws "${file}")
  elseif(name MATCHES "^test_zones_" AND imports_lab)
    list(APPEND of_zones_in_lab "${file}")
  elseif(name MATCHES "^test_zones_")
    list(APPEND of_zones "${file}")
  elseif(imports_lab OR name MATCHES "^test_(cli|foreign|explain)")
    list(APPEND of_traces "${file}")
  elseif(name MATCHES "^test_(fleet_compare|fleet_rows|machine_output|outputs|qvis_foreign|several|wheel)$")
    list(APPEND of_outputs "${file}")
  else()
    list(APPEND of_units "${file}")
  endif()
endforeach()

# What asks of more cases what another test asks of a few is marked, and runs at night (cmake/Nightly.cmake).
set(pytest_of_tier ${pytest} -m "not nightly")
quiche_cc_test(qlog-analysis-units TIER quick LABEL python TIMEOUT 300 COST 20 COMMAND ${pytest_of_tier} ${of_units})
quiche_cc_test(qlog-analysis-outputs TIER test LABEL python TIMEOUT 600 COST 75 COMMAND ${pytest_of_tier} ${of_outputs})
# Pages in a headless Chromium. Where there is none it says so, and counts as skipped. `-v`: the tests of qlog-analysis are
# quieter by their own settings, so that pytest would not say how many passed.
quiche_cc_test(qlog-analysis-browser TIER test LABEL python TIMEOUT 300 COST 30
               COMMAND sh -c "${skipped_aloud}" "${CMAKE_BINARY_DIR}/qlog-analysis-browser.log" ${pytest} -v ${of_browser})
quiche_cc_test(qlog-analysis-laws TIER test LABEL python TIMEOUT 1200 COST 30 COMMAND ${pytest_of_tier} ${of_laws})
quiche_cc_test(qlog-analysis-traces TIER test LABEL python TIMEOUT 1200 COST 170 COMMAND ${pytest_of_tier} ${of_traces})
quiche_cc_test(qlog-analysis-zones TIER test LABEL python TIMEOUT 1200 COST 80 COMMAND ${pytest_of_tier} ${of_zones})
quiche_cc_test(qlog-analysis-zones-in-lab TIER test LABEL python TIMEOUT 1200 COST 200 COMMAND ${pytest_of_tier} ${of_zones_in_lab})

# That the mutants of the controllers still apply to the tree (docs/results/mutants.md); they are measured at night.
quiche_cc_test(mutants TIER quick LABEL python TIMEOUT 120 COMMAND ${pytest} tests/mutants)
