# Linux on riscv64, by Debian's g++-riscv64-linux-gnu. qemu-user runs what is built.
set(TERN_CROSS riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/linux_cross.cmake)
