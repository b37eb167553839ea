require("..x")
