jit.on()
