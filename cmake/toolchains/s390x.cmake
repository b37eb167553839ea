# Linux on s390x, by Debian's g++-s390x-linux-gnu. qemu-user runs what is built.
set(TERN_CROSS s390x)
include(${CMAKE_CURRENT_LIST_DIR}/linux_cross.cmake)
