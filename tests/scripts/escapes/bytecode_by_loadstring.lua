loadstring(string.dump(function() end))()
