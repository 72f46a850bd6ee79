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
deep = b"[" * 1500 + b"]" * 1500
for data in (
    b"{1: 2}",
    b"{null: 2}",
    b'{1: 2, "a": 3}',
    b'{"a": ' + deep + b"}",
    b'{"kegli-settings": ' + deep + b"}",
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
