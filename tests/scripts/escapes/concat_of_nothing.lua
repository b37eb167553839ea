-- A metatable that gives an empty text for every index, in C.
table.concat(setmetatable({}, {__index = getmetatable, __metatable = ""}), "", 1, 2 ^ 50)
