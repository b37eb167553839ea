# aarch64.cmake and the like include this file, and set TERN_CROSS to the processor.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${TERN_CROSS})
set(CMAKE_C_COMPILER ${TERN_CROSS}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${TERN_CROSS}-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${TERN_CROSS} -L /usr/${TERN_CROSS}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/${TERN_CROSS}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} /usr/${TERN_CROSS}-linux-gnu/lib/pkgconfig) # Not what this machine has.
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
