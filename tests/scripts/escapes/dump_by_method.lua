("").dump(function() end)
