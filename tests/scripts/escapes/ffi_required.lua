require("ffi").cdef("int system(const char *);")
