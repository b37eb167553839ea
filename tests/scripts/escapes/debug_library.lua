debug.getregistry()
