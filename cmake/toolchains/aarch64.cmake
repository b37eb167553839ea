# Linux on aarch64, by Debian's g++-aarch64-linux-gnu. qemu-user runs what is built.
set(TERN_CROSS aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/linux_cross.cmake)
