-- The test lays compiled.lua there.
require("compiled")
