"""The runs in host_tools/README.md are those of these commands."""

from tests.host import command_views


def test_the_document_shows_the_commands_as_they_look() -> None:
    text = command_views.README.read_text(encoding="utf-8")
    assert command_views.updated(text, command_views.views()) == text
