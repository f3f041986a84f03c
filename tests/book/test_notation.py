"""The page of notation: what it lists, and what an equation may use."""

import re
from pathlib import Path

import pytest

from pedocs.book.formulas import formula_mathml, mathml
from pedocs.book.notation import notation_of, symbols
from pedocs.book.page import prove, read
from pedocs.book.parts import Formula
from pedocs.book.scan import scan

DOCS = Path(__file__).parents[2] / "docs"
LIST = r"""
| Symbol | Meaning | Where |
|---|---|---|
| $i$, $j$ | positions | [x](x.md#x) |
| $Q$ | queries | |
| $S_{ij}$ | score | |
| $d$ | width | |
| $d_k$ | width of a head | |
| $d_{\text{old}}$ | width of before | |
| $\mathbf{a}$ | a token | |
| $\mathbf{a}^K_{i}$ | relative vector | |
| $\hat{x}$ | estimate | |
| $\mathrm{PE}(i)$ | encoding | |

## In one chapter {#one-chapter}

### X

| Symbol | Meaning | Where |
|---|---|---|
| $\rho$ | ratio | [X](chapters/x.md#x) |

## Units

| $B_{\mathrm{slow}}$ | limit | |
"""


def pages(folder: Path, latex: str, listed: str = LIST, name: str = "x") -> Path:
    (folder / "notation.md").write_text(listed)
    (folder / "chapters").mkdir(exist_ok=True)
    path = folder / "chapters" / f"{name}.md"
    path.write_text(f'$$\n{latex}\n$$ {{#eq-x unchecked="a"}}\n')
    return path


@pytest.mark.parametrize(
    "latex",
    [
        r"S_{ij} = S_{i} + S",
        r"\sqrt{d_k} + d^2 - d_2",
        r"\mathbf{a}_i^K \cdot \mathbf{a}^K_{i-j} + \mathbf{a}",
        r"\hat{x} + \mathrm{PE}(i) + \sin i + \pi + \max_i j",
        r"B_{\mathrm{slow}} + \text{a word}",
        r"\underbrace{S_{ij}}_{\text{content}}",
        r"d_{\text{old}} + d^{-1} + d^\top",
        r"\frac{\rho^{i/2}}{\lfloor j \rfloor}",
        r"S^\top S_{Q}",
    ],
)
def test_listed_symbols_pass(tmp_path: Path, latex: str) -> None:
    assert prove(pages(tmp_path, latex)).failures == []


@pytest.mark.parametrize(
    ("latex", "said"),
    [
        (r"S_{im}", "the symbol m of the equation"),
        (r"d_m", "the symbol m of the equation"),
        (r"k", "the symbol k of the equation"),
        (r"x", "the symbol x of the equation"),
        (r"\bar{x}", "the symbol x¯ of the equation"),
        (r"\mathbf{S}", "the symbol 𝐒 of the equation"),
        (r"\mathbf{a}^V", "the symbol V of the equation"),
        (r"B_{\mathrm{fast}}", "the symbol B_(fast) of the equation"),
        (r"\mathrm{d}", "the symbol upright d of the equation"),
        (r"e^{\tau}", "the symbol e^τ of the equation"),
        (r"\sum_{l=0}^{i} S_{il}", "the symbol l of the equation"),
        (r"\operatorname{clip}(i)", "the symbol clip of the equation"),
        (r"\begin{aligned}i &= \operatorname{Var}(j)\end{aligned}", "the symbol Var of the"),
        (r"\text{S} = i", "the symbol upright S of the equation"),
        (r"\textbf{S} = i", "the symbol upright S of the equation"),
        (r"d_{\text{new}}", "the symbol new of the equation"),
        (r"d_{i,\text{new}}", "the symbol new of the equation"),
        (r"S^{\text{T}}", "the symbol T of the equation"),
        (r"d'", "the symbol ′ of the equation"),
        (r"d^*", "the symbol ∗ of the equation"),
        (r"d^\dagger", "the symbol † of the equation"),
        (r"i \xrightarrow{k} j", "the symbol k of the equation"),
    ],
)
def test_a_symbol_that_is_not_listed_is_red(tmp_path: Path, latex: str, said: str) -> None:
    failures = prove(pages(tmp_path, latex)).failures
    assert any(said in str(failure) and failure.line == 1 for failure in failures), failures


def test_a_symbol_of_one_chapter_is_red_in_another(tmp_path: Path) -> None:
    (failure,) = prove(pages(tmp_path, r"\rho", name="y")).failures
    assert "the symbol ρ of the equation is kept for chapters/x.md (notation.md:21)" in str(failure)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("\n| $S$ | again | |", "notation.md:26: S has a meaning already, in line 6"),
        (r" |" + "\n" + r"| $\rho$ | again | |", "ρ has a meaning already, in line 21"),
        ("\n| $2$ | two | |", "$2$ holds no symbol"),
        ("\n| $\\frac{a}$ | half | |", "is no LaTeX"),
        ("\n## More {#one-chapter}\n\n| $z$ | of no page | |", "the row names no page"),
    ],
)
def test_a_faulty_list_is_red(tmp_path: Path, more: str, said: str) -> None:
    failures = prove(pages(tmp_path, "i", LIST.rstrip() + more)).failures
    assert any(said in str(failure) for failure in failures), failures


@pytest.mark.parametrize(
    "hidden", ["<!--\n| $k$ | hidden | |\n-->", "```text\n| $k$ | hidden | |\n```"]
)
def test_what_is_not_shown_lists_nothing(tmp_path: Path, hidden: str) -> None:
    failures = prove(pages(tmp_path, "k", f"{LIST}\n{hidden}\n")).failures
    assert "the symbol k of the equation" in str(failures)


def test_without_a_list_nothing_is_checked(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text('$$\nx = x\n$$ {#eq-x unchecked="a"}\n')
    assert notation_of(tmp_path / "page.md") is None
    assert prove(tmp_path / "page.md").failures == []


def test_every_symbol_of_the_book_s_list_is_used_by_an_equation() -> None:
    """A list that outlives its equations would keep letters from being used."""
    notation = notation_of(DOCS / "index.md")
    assert notation is not None
    used: set[str] = set()

    def take(found: list) -> None:  # type: ignore[type-arg]
        for symbol in found:
            used.add(symbol.base)
            for _, _, parts in symbol.scripts:
                take(list(parts))

    for path in sorted(DOCS.rglob("*.md")):
        if path.name != "notation.md":
            for part in scan(read(path)[1], path.name).parts:
                if isinstance(part, Formula):
                    take(symbols(formula_mathml(part)))
    bases = {name: re.split("[_^]", name)[0] for name in notation.listed}
    assert [name for name, base in bases.items() if base not in used] == []


def test_a_symbol_reads_as_it_is_written() -> None:
    found = symbols(mathml(r"\omega_m^{\mathrm{new}} + \bar{z}", display=True))
    assert [symbol.name for symbol in found] == ["ω_m^(new)", "z¯"]
