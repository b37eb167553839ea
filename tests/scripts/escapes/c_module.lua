require("package").loadlib("libc.so.6", "*")
