os.remove("nothing")
