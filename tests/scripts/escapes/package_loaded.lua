package.loaded.os.exit(0)
