# libsodium from its source, for targets without a package of it: TERN_SODIUM_SOURCE names an
# unpacked release (1.0.18 or later), such as `apt-get source libsodium` leaves it.
# docs/platforms.md shows the way.

file(READ ${TERN_SODIUM_SOURCE}/configure.ac text)
set(folder ${TERN_SODIUM_SOURCE}/src/libsodium)
if(NOT text MATCHES "AC_INIT\\(\\[libsodium\\], *\\[([0-9.]+)\\]")
  message(FATAL_ERROR "TERN_SODIUM_SOURCE is ${TERN_SODIUM_SOURCE}, expected the folder of a "
                      "libsodium release (its configure.ac names no version of libsodium)")
endif()
set(VERSION ${CMAKE_MATCH_1})
foreach(part MAJOR MINOR)
  string(REGEX MATCH "SODIUM_LIBRARY_VERSION_${part}=([0-9]+)" unused "${text}")
  set(SODIUM_LIBRARY_VERSION_${part} ${CMAKE_MATCH_1})
endforeach()
set(SODIUM_LIBRARY_MINIMAL_DEF "")
set(generated ${PROJECT_BINARY_DIR}/sodium)
file(COPY ${folder}/include/ DESTINATION ${generated}) # version.h must lie beside the others.
configure_file(${folder}/include/sodium/version.h.in ${generated}/sodium/version.h @ONLY)

enable_language(C)
file(GLOB_RECURSE sources ${folder}/*.c)
add_library(tern_sodium STATIC EXCLUDE_FROM_ALL ${sources})
set_target_properties(tern_sodium PROPERTIES POSITION_INDEPENDENT_CODE ON C_STANDARD 99
                      C_VISIBILITY_PRESET hidden EXPORT_NAME libsodium)
target_include_directories(tern_sodium SYSTEM PUBLIC $<BUILD_INTERFACE:${generated}>)
target_include_directories(tern_sodium PRIVATE ${generated}/sodium)
target_compile_definitions(tern_sodium PUBLIC SODIUM_STATIC PRIVATE CONFIGURED=1 DEV_MODE=1)
target_compile_options(tern_sodium PRIVATE -w -O2)

# What its configure script would find. The vector code chooses at run time what the CPU has.
include(TestBigEndian)
test_big_endian(is_big)
if(is_big)
  target_compile_definitions(tern_sodium PRIVATE NATIVE_BIG_ENDIAN=1)
else()
  target_compile_definitions(tern_sodium PRIVATE NATIVE_LITTLE_ENDIAN=1)
endif()
if(NOT MSVC AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  target_compile_definitions(tern_sodium PRIVATE HAVE_TI_MODE=1)
endif()
if(NOT MSVC AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  target_compile_definitions(tern_sodium PRIVATE HAVE_CPUID=1 HAVE_MMINTRIN_H=1
    HAVE_EMMINTRIN_H=1 HAVE_PMMINTRIN_H=1 HAVE_TMMINTRIN_H=1 HAVE_SMMINTRIN_H=1 HAVE_AVXINTRIN_H=1
    HAVE_AVX2INTRIN_H=1 HAVE_WMMINTRIN_H=1)
  # g++ reads from the files themselves what they need; clang must be asked for it.
  set(ssse3 -mssse3)
  set(sse41 ${ssse3} -msse4.1)
  set(avx2 ${sse41} -mavx2)
  set(aesni ${ssse3} -maes -mpclmul)
  foreach(unit ssse3 sse41 avx2 aesni)
    set(files ${sources})
    list(FILTER files INCLUDE REGEX "[-_]${unit}\\.c$")
    set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${${unit}}")
  endforeach()
endif()
if(EMSCRIPTEN)
  # libsodium would ask JavaScript for each number, and refuse the source of the simulator.
  target_sources(tern_sodium PRIVATE ${CMAKE_CURRENT_LIST_DIR}/sodium_random.c)
  target_compile_definitions(tern_sodium PRIVATE HAVE_SAFE_ARC4RANDOM=1)
  target_compile_options(tern_sodium PRIVATE
                         -include ${CMAKE_CURRENT_LIST_DIR}/sodium_random.h)
  set_source_files_properties(${folder}/randombytes/randombytes.c PROPERTIES
                              COMPILE_OPTIONS -U__EMSCRIPTEN__)
elseif(UNIX)
  target_compile_definitions(tern_sodium PRIVATE HAVE_PTHREAD=1 HAVE_MLOCK=1 HAVE_MPROTECT=1
    HAVE_MMAP=1 HAVE_SYS_MMAN_H=1 HAVE_NANOSLEEP=1 HAVE_POSIX_MEMALIGN=1 HAVE_GETPID=1
    HAVE_WEAK_SYMBOLS=1)
endif()
add_library(tern::libsodium ALIAS tern_sodium)
