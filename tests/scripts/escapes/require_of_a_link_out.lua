-- The test lays link_out.lua there, which leads to a file outside of the folder.
require("link_out")
