require("x\0y")
