require("debug").getregistry()
