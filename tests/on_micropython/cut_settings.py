"""Prints what the firmware makes of a settings file cut at every byte: length, usual or not, told.

Run on MicroPython, whose reader of JSON is another than CPython's.
"""

from kegli import settings

values = settings.usual()
values["quiet_ms"] = 5000
values["a.name"] = "Anna"
settings.write(values)
with open(settings.FILE, "rb") as file:
    whole = file.read()
for length in range(len(whole) + 1):
    with open(settings.FILE, "wb") as file:
        file.write(whole[:length])
    values, wrong = settings.read()
    print(length - len(whole), values == settings.usual(), len(wrong))
for data in (
    b"[" * 4096,
    b'{"x":' * 800,
    b"\xff",
    b"\x00",
    b'{"quiet_ms": 1e9}',
    b'{"quiet_ms": NaN}',
):
    with open(settings.FILE, "wb") as file:
        file.write(data)
    values, wrong = settings.read()
    print("bad", values == settings.usual(), len(wrong))
