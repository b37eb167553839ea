os.getenv("HOME")
