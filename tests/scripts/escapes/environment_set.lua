setfenv(1, {})
