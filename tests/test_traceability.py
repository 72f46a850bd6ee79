"""RULES.md, the code and the tests speak of the same clauses."""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
RULES = (ROOT / "firmware/RULES.md").read_text(encoding="utf-8")

CITED = re.compile(r"\bR\d+\.\d+\b")
CLAUSE = re.compile(r"^(R\d+\.\d+)\b(.*(?:\n.+)*)", re.MULTILINE)
TAG = re.compile(r" \[(\w+)\] \S")
SOURCE = re.compile(r"\nSource: (.+(?:\n.+)*)")
TAGS = ("auto", "judge", "mark", "people")


def catalogue(rules: str) -> dict[str, str]:
    """Return the clauses of RULES.md and who decides each, "" where that is not said."""
    tags = {}
    for clause, text in CLAUSE.findall(rules):
        tag = TAG.match(text)
        tags[clause] = tag[1] if tag and tag[1] in TAGS else ""
    return tags


def faults_of_rules(rules: str) -> list[str]:
    """Return what is wrong with the catalogue itself."""
    clauses = [clause for clause, _ in CLAUSE.findall(rules)]
    faults = [
        f"{clause} stands twice" for clause in sorted(set(clauses)) if clauses.count(clause) > 1
    ]
    numbers = [tuple(map(int, clause[1:].split("."))) for clause in clauses]
    for before, after in zip([(0, 0), *numbers], numbers, strict=False):
        if after not in ((before[0], before[1] + 1), (before[0] + 1, 1)):
            faults.append(f"R{after[0]}.{after[1]} does not follow R{before[0]}.{before[1]}")
    faults += [
        f"{clause} does not say who decides" for clause, tag in catalogue(rules).items() if not tag
    ]
    for clause, text in CLAUSE.findall(rules):
        source = SOURCE.search(text)
        if source is None or not re.search(r"\b(000|002|ours)\b", source[1]):
            faults.append(f"{clause} has no source")
        elif "ours" in source[1] and not re.search(r"\bno setting\b|\bsettings? `", source[1]):
            faults.append(f"{clause} is ours and names no setting, nor that there is none")
    headings = re.findall(r"^## R(\d+) ", rules, re.MULTILINE)
    if headings != sorted({str(chapter) for chapter, _ in numbers}):
        faults.append("the chapters of the headings are not those of the clauses")
    return faults


def faults_of_citations(rules: str, everything: Iterable[str], code: str, tests: str) -> list[str]:
    """Return what is wrong with the clauses that texts cite; code and tests are the rules' own."""
    clauses = catalogue(rules)
    cited = {clause for text in everything for clause in CITED.findall(text)}
    faults = [f"{clause} is cited and does not exist" for clause in sorted(cited - set(clauses))]
    in_code, in_tests = set(CITED.findall(code)), set(CITED.findall(tests))
    for clause, tag in clauses.items():
        if tag != "people":
            faults += [f"{clause} is not in the code"] * (clause not in in_code)
            faults += [f"{clause} is not in a test"] * (clause not in in_tests)
    return faults


def text_of(*patterns: str) -> str:
    """Return the text of all files of the repository that match."""
    files = sorted({file for pattern in patterns for file in ROOT.glob(pattern) if file.is_file()})
    assert files, patterns
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)


def test_rules_are_a_catalogue() -> None:
    faults = faults_of_rules(RULES)
    assert not faults, "\n".join(faults)


def test_clauses_are_traced() -> None:
    code, tests = text_of("firmware/kegli/*.py"), text_of("tests/rules/*.py")
    everything = (
        code,
        text_of("host_tools/**/*.py"),
        text_of("tests/**/*.py", "tests/**/*.log"),
        RULES,
    )
    faults = faults_of_citations(RULES, everything, code, tests)
    assert not faults, "\n".join(faults)


def names_of_tests(*options: str) -> list[str]:
    """Ask pytest which tests of the rules it would run."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *options, "tests/rules"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [line for line in output.splitlines() if "::" in line]


def test_a_clause_selects_its_tests() -> None:
    """Run what `pytest -k R4.1-` runs: all of R4.1 and, thanks to the dash, none of R4.10."""
    names = names_of_tests()
    assert [name for name in names if re.search(r"R\d+\.\d+(?![\d-])", name)] == []
    for clause in ("R2.3-", "R4.1-"):
        wanted = [name for name in names if clause in name]
        assert len(wanted) > 1
        assert names_of_tests("-k", clause) == wanted


# A catalogue of three clauses, to show that the checks above find faults.
SMALL = """\
## R1 The stroke

R1.1 [auto] A stroke begins.
Source: ours, the texts take it for granted; setting `quiet_ms`.

R1.2 [auto] Pins are valued
once.
Source: 000.

## R2 Points

R2.1 [people] Spots are marked.
Source: 002.
"""


def test_faults_of_a_catalogue_are_found() -> None:
    assert faults_of_rules(SMALL) == []
    assert faults_of_rules(SMALL.replace("R1.2 [auto]", "R1.3 [auto]")) == [
        "R1.3 does not follow R1.1"
    ]
    assert faults_of_rules(SMALL.replace("R1.2 [auto]", "R1.1 [auto]")) == [
        "R1.1 stands twice",
        "R1.1 does not follow R1.1",
    ]
    assert faults_of_rules(SMALL.replace("R1.2 [auto]", "R1.2")) == [
        "R1.2 does not say who decides"
    ]
    assert faults_of_rules(SMALL.replace("[people]", "[nobody]")) == [
        "R2.1 does not say who decides"
    ]
    assert faults_of_rules(SMALL.replace("Source: 000.\n", "")) == ["R1.2 has no source"]
    assert faults_of_rules(SMALL.replace("Source: 002", "Source: hearsay")) == [
        "R2.1 has no source"
    ]
    assert faults_of_rules(SMALL.replace("; setting `quiet_ms`", "")) == [
        "R1.1 is ours and names no setting, nor that there is none"
    ]
    assert faults_of_rules(SMALL.replace("## R2", "## R3")) == [
        "the chapters of the headings are not those of the clauses"
    ]


def test_faults_of_citations_are_found() -> None:
    both = "R1.1 R1.2"
    assert faults_of_citations(SMALL, [both], both, both) == []
    assert faults_of_citations(SMALL, ["R2.2"], both, both) == ["R2.2 is cited and does not exist"]
    assert faults_of_citations(SMALL, [], "R1.1", both) == ["R1.2 is not in the code"]
    assert faults_of_citations(SMALL, [], both, "R1.2") == ["R1.1 is not in a test"]
