# WebAssembly, by emscripten (Debian: emscripten). node runs what is built.
find_program(TERN_EM_CONFIG em-config REQUIRED)
execute_process(COMMAND ${TERN_EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE EMSCRIPTEN_ROOT_PATH
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
include(${EMSCRIPTEN_ROOT_PATH}/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_CXX_FLAGS_INIT "-include ${CMAKE_CURRENT_LIST_DIR}/libcxx_13.h")
# Programs read the files of this machine, and end with the status that main() returns.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-sALLOW_MEMORY_GROWTH=1 -sNODERAWFS=1 -sEXIT_RUNTIME=1 -sWASM_ASYNC_COMPILATION=0")
if(EXISTS /usr/share/nodejs/acorn) # Debian's emscripten needs it; other nodes do not look there.
  foreach(language C CXX)
    set(CMAKE_${language}_LINKER_LAUNCHER ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
  endforeach()
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR node)
set(ENV{PKG_CONFIG_LIBDIR} ${EMSCRIPTEN_SYSROOT}/lib/pkgconfig) # Not what this machine has.
