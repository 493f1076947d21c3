# Makes LINK a link to where the workspace's BoringSSL was built, which CARGO tells as it does for every build script.
# It has to be the one that LOCK asks for.
file(STRINGS "${LOCK}" packages REGEX "^(name|version) = ")
string(REGEX MATCH "name = \"boring-sys\";version = \"([^\"]+)\"" found "${packages}")
set(version "${CMAKE_MATCH_1}")

execute_process(COMMAND "${CARGO}" build --release --locked --message-format=json
                OUTPUT_VARIABLE messages COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "\"reason\":\"build-script-executed\",\"package_id\":\"[^\"]*boring-sys@${version}\"[^\n]*" script "${messages}")
if(NOT script)
  message(FATAL_ERROR "${LOCK} asks for boring-sys ${version}, and the workspace for another: "
                      "run `cargo update --package boring-sys --precise VERSION` beside it, and the same for boring")
endif()
string(REGEX MATCH "\"out_dir\":\"([^\"]+)\"" found "${script}")
set(folder "${CMAKE_MATCH_1}")
if(NOT EXISTS "${folder}/build/libssl.a" OR NOT EXISTS "${folder}/boringssl/include/openssl/ssl.h")
  message(FATAL_ERROR "boring-sys ${version} did not build BoringSSL where it is looked for: ${folder}")
endif()
cmake_path(GET LINK PARENT_PATH parent)
file(MAKE_DIRECTORY "${parent}")
file(CREATE_LINK "${folder}" "${LINK}" SYMBOLIC)
