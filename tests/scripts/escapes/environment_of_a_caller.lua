getfenv(0)
