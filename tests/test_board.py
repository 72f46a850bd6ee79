"""The pin maps against what the chips allow, and the chip by the name that MicroPython gives."""

import pytest

from kegli import board, lines
from kegli.settings import FITTED, SENSORS

CHIPS = ("esp32", "esp32s3")
GROUND = "closes to ground"
DRIVEN = "is driven by a comparator"

# What the log knows, and how it is wired (board.py, RULES.md): 1 in the log is a pin that is
# down, which opens its switch, and a button that is pressed, which closes it.
WIRES = {
    **{f"pin {pin}": (1, GROUND, "pins") for pin in range(5)},
    **{f"hit {cushion}": (1, DRIVEN, "cushions") for cushion in range(4)},
    "click": (1, DRIVEN, "click"),
    "zone": (1, DRIVEN, "zone"),
    **{f"btn {name}": (0, GROUND, "") for name in ("ok", "penalty", "carom", "fine", "undo")},
}
ONE_SHOTS = {"hit 0", "hit 1", "hit 2", "hit 3", "click"}

# GPIOs that a board must leave alone, and why. Sources: [1] ESP-IDF Programming Guide, GPIO & RTC
# GPIO, the table of each chip and the notes below it (docs/en/api-reference/peripherals/gpio/
# esp32.inc, esp32s3.inc in espressif/esp-idf); [2] the chip's datasheet, strapping pins;
# [3] ESP32-WROOM-32E datasheet, pin definitions.
FORBIDDEN = {
    "esp32": {
        "flash [1]": {6, 7, 8, 9, 10, 11},
        "absent from the chip [1]": {20, 24, 28, 29, 30, 31},
        "absent from the module [3]": {37, 38},
        "console: UART 0 [1]": {1, 3},
        "strap: boot from flash or serial port [2]": {0},
        "strap: voltage of the flash [2]": {12},
    },
    "esp32s3": {
        "straps [1]": {0, 3, 45, 46},
        "USB [1]": {19, 20},
        "flash and PSRAM [1]": set(range(26, 33)),
        "flash and PSRAM of eight lines [1]": set(range(33, 38)),
        "console: UART 0 [2]": {43, 44},
        "absent from the chip [1]": {22, 23, 24, 25},
    },
}
LAST = {"esp32": 39, "esp32s3": 48}  # GPIO of the chip [1]
NO_OUTPUTS = {34, 35, 36, 37, 38, 39}  # of the ESP32: nor have they a pull-up inside [1]
DACS = (25, 26)  # of the ESP32 [1]
GHOSTS = {36, 39}  # of the ESP32: interrupts without an edge [1, the last note]
CAPTURE_CHANNELS = 2 * 3  # two MCPWM units of three, on either chip [2, peripherals]
# Straps of the ESP32 that may be used with care [2]: 2 has to be low or open for flashing, 5
# changes the timing of SDIO only.
STRAPS_WITH_CARE = {2, 5}


def used(chip: str) -> list[int]:
    return [row[1] for row in board.inputs(chip)] + list(board.outputs(chip))


@pytest.mark.parametrize("chip", CHIPS)
def test_no_gpio_is_used_twice(chip: str) -> None:
    assert len(used(chip)) == 16 + 4
    assert len(set(used(chip))) == 16 + 4


@pytest.mark.parametrize("chip", CHIPS)
def test_every_gpio_is_one_of_the_chip(chip: str) -> None:
    assert all(0 <= gpio <= LAST[chip] for gpio in used(chip))


@pytest.mark.parametrize(
    ("chip", "why"), [(chip, why) for chip in CHIPS for why in FORBIDDEN[chip]]
)
def test_what_the_chip_needs_itself_is_left_alone(chip: str, why: str) -> None:
    assert not FORBIDDEN[chip][why] & set(used(chip))


def test_the_table_of_what_is_forbidden_leaves_enough() -> None:
    """Or it would forbid by a slip of the pen; 47 and 48 of the S3 may be used."""
    for chip in CHIPS:
        free = set(range(LAST[chip] + 1)) - set().union(*FORBIDDEN[chip].values())
        assert set(used(chip)) <= free
    assert not {47, 48} & set().union(*FORBIDDEN["esp32s3"].values())


def test_what_can_be_input_only_is_no_output_and_has_no_pull_up() -> None:
    assert not NO_OUTPUTS & set(board.outputs("esp32"))
    for words, gpio, _level, pull_up, _sensor, _one_shot in board.inputs("esp32"):
        assert not (gpio in NO_OUTPUTS and pull_up), words


def test_the_esp32_has_its_thresholds_at_its_dacs() -> None:
    _leds, cushions, click, _buzzer = board.outputs("esp32")
    assert (cushions, click) == DACS
    assert not set(DACS) & {row[1] for row in board.inputs("esp32")}


def test_a_gpio_with_ghost_interrupts_is_polled_and_times_nothing() -> None:
    rows = {row[1]: row for row in board.inputs("esp32") if row[1] in GHOSTS}
    assert set(rows) <= set(board.POLLED)
    assert not any(row[5] for row in rows.values())
    # The S3 has no such GPIO: there nothing has to be polled.
    assert not set(board.POLLED) & set(used("esp32s3"))


def test_straps_of_the_esp32_have_what_they_need_at_power_up() -> None:
    """2 only drives a transistor, which pulls it down; 5 is a button, open unless held."""
    assert set(used("esp32")) & {0, 2, 5, 12, 15} == STRAPS_WITH_CARE
    assert 2 in board.outputs("esp32")
    (words,) = [row[0] for row in board.inputs("esp32") if row[1] == 5]
    assert words.startswith("btn ")


@pytest.mark.parametrize("chip", CHIPS)
def test_inputs_are_wired_as_the_log_means_them(chip: str) -> None:
    assert [row[0] for row in board.inputs(chip)] == list(WIRES)
    for words, _gpio, level, pull_up, sensor, one_shot in board.inputs(chip):
        assert (level, GROUND if pull_up else DRIVEN, sensor) == WIRES[words]
        assert bool(one_shot) == (words in ONE_SHOTS)


def test_every_button_and_sensor_has_an_input() -> None:
    rows = board.inputs("esp32")
    assert [row[0] for row in rows if not row[4]] == [f"btn {name}" for name in lines.BUTTONS]
    assert {row[4] for row in rows} - {""} == set(SENSORS)
    assert set(FITTED) <= set(SENSORS)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_capture_units_have_a_channel_for_each_one_shot(chip: str) -> None:
    assert sum(row[5] for row in board.inputs(chip)) <= CAPTURE_CHANNELS


@pytest.mark.parametrize(
    ("machine", "chip"),
    [
        # MICROPY_HW_BOARD_NAME, "with", MICROPY_HW_MCU_NAME, by ports/esp32/boards of MicroPython.
        ("Generic ESP32 module with ESP32", "esp32"),
        ("Generic ESP32 module with SPIRAM with ESP32", ""),
        ("Generic ESP32 module with OTA with ESP32", "esp32"),
        ("Generic ESP32 module with ESP32-D2WD", ""),
        ("Generic ESP32 module with ESP32-UNICORE", "esp32"),
        ("TinyPICO with ESP32-PICO-D4", ""),
        ("ESP32-PICO-D4", ""),
        ("Generic ESP32S31 module with ESP32-S31", ""),
        ("Generic module with ESP32-E22", ""),
        ("Generic ESP32S3 module with ESP32S3", "esp32s3"),
        ("Generic ESP32S3 module with Octal-SPIRAM with ESP32S3", "esp32s3"),
        ("LILYGO T-2CAN with ESP32-S3", "esp32s3"),
        ("M5STACK Dial with ESP32-S3-FN8", "esp32s3"),
        ("M5STACK StopWatch with ESP32-S3R8", "esp32s3"),
        # Others, and what is no chip.
        ("Generic ESP32C3 module with ESP32C3", ""),
        ("01Space ESP32-C3FH4-RGB with ESP32-C3FH4", ""),
        ("Generic ESP32S2 module with ESP32S2", ""),
        ("ESP32C3", ""),
        ("ESP32C5", ""),
        ("ESP32C6", ""),
        ("ESP32-C61", ""),
        ("ESP32H2", ""),
        ("ESP32-S2", ""),
        ("ESP32P4", ""),
        ("ESP8266", ""),
        ("RP2040", ""),
        ("Raspberry Pi Pico with RP2040", ""),
        ("A board for ESP32 with RP2040", ""),
        ("", ""),
    ],
)
def test_the_chip_by_the_name_of_the_machine(machine: str, chip: str) -> None:
    assert board.chip(machine) == chip


def test_cpython_has_the_map_of_the_esp32() -> None:
    assert board.NAME == "esp32"
    assert board.inputs() == board.inputs("esp32")
    assert board.outputs() == board.outputs("esp32")
