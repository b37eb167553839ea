newproxy(true)
