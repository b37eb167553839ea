return (unpack or table.unpack)({}, 1, 1e8)
