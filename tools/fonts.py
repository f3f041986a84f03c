"""Make the fonts of the site: subsets, as woff2, in docs/assets/fonts.

The result is kept in the repository, so that the site builds without this
script. Run it again when a page needs a letter that the fonts do not have
(tests/book/test_fonts.py says which), after adding the letter below:

    npm pack @fontsource-variable/stix-two-text@5.3.0 @fontsource/tiro-devanagari-hindi@5.3.0
    for archive in *.tgz; do tar xzf $archive --one-top-level; done
    pip install ziamath==0.13 fonttools brotli
    python tools/fonts.py .

All are under the SIL Open Font License; none has a reserved font name. The
ranges of letters are written into docs/assets/pedocs.css, between its marks.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parent.parent
FONTS = ROOT / "docs" / "assets" / "fonts"
STYLE = ROOT / "docs" / "assets" / "pedocs.css"
BEGIN, END = "/* fonts: made by tools/fonts.py { */", "/* } fonts */"

HINDI = "भारत ने ऑस्ट्रेलिया को हराया।"


def span(first: str, last: str) -> str:
    """The characters from `first` to `last`."""
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


# What the formulas of a page on this subject are made of, in one file …
ITALIC = span("\U0001d434", "\U0001d467").replace("\U0001d455", "ℎ") + "ı𝚤𝚥"
ITALIC_GREEK = span("\U0001d6fc", "\U0001d71b")
DIGITS = span("0", "9")
CORE = "".join(
    [
        span(" ", "~"),
        "\u00a0¬°±·×÷ˆ˜¯´¨ˇ˙",
        span("Α", "Ρ"),
        span("Σ", "Ω"),
        span("α", "ω"),
        "ϕϵ",
        ITALIC,
        ITALIC_GREEK,
        span("\U0001d400", "\U0001d433"),  # bold Latin
        span("\U0001d7ce", "\U0001d7d7"),  # bold digits
        "ℝℕℤℂℚ𝔼𝟙",
        "\u0302\u0303\u0304\u0305\u0307\u0308\u030c\u20d6\u20d7\u0332‾⏞⏟",  # accents
        "−∓∗∘∙⋅⋆⊕⊗⊙⊤⊥′″‴‖∥∣∤⁄∕∖",
        "∂∇∆∞∀∃∄∈∉∋∅∧∨∩∪□∎†ℓ",
        "≤≥≪≫≠≡≈∼≃≅∝≔≕≜≺≻⊂⊃⊆⊇⊢⩽⩾≰≱",
        "←↑→↓↔↦⇐⇒⇔⟵⟶⟸⟹⟺↻↺",
        "∑∏∫⋃⋂⨁⨂⋀⋁√",
        "⟨⟩⌈⌉⌊⌋⟦⟧",
        "…⋯⋮⋱–—‘’“”",
        "\u2002\u2003\u2004\u2005\u2006\u2009\u200a\u200b\u2061\u2062\u2063\u2064",
    ]
)
# … and the rest in another, which is loaded only by a page that has one.
MORE = "".join(
    [
        "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵",
        span("\U0001d538", "\U0001d550"),  # double-struck capitals
        span("\U0001d468", "\U0001d49b"),  # bold italic
        span("\U0001d6a8", "\U0001d6e1"),  # bold Greek
        span("\U0001d6e2", "\U0001d6fa"),  # italic Greek capitals
        span("\U0001d71c", "\U0001d755"),  # bold italic Greek
        "∬∭∮⊖⊘⊞⊠∴∵≐≍≲≳≼≽⊊⊋⊏⊐⊑⊒⊨⊩⇌⇝↪↩⤳△▽◁▷◇◦★♭♮♯ℏℑℜ℘",
    ]
)
# Letters of names and of transliterated Hindi, beyond those of Western Europe.
NAMES = span("Ā", "ž") + "ȘșȚțḌḍḤḥḶḷṂṃṄṅṆṇṚṛṢṣṬṭẒẓ"
# Letters that have a drawing of their own for sub- and superscripts. Without
# it they are the large ones made small: thinner, not illegible. It costs as much
# as the letter again, so only what often stands there gets one.
SMALL = (
    DIGITS
    + "+−=(),/⊤′″‴"
    + span("\U0001d44e", "\U0001d467").replace("\U0001d455", "ℎ")
    + "𝑄𝐾𝑉𝑂𝛼𝛽𝜃𝜆𝜇𝜎𝜑𝜔"
)


def make(source: Path, target: Path, letters: str, features: list[str]) -> None:
    """Write the subset of `source` that `letters` need."""
    options = subset.Options()
    options.flavor = "woff2"
    options.hinting = False
    options.layout_features = features
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    options.drop_tables += ["DSIG", "gasp"]
    font = subset.load_font(source, options)
    if "ssty" in features:
        _keep_small_forms(font)
        _narrow_tall_forms(font)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=letters)
    subsetter.subset(font)
    subset.save_font(font, target, options)


def _keep_small_forms(font: TTFont) -> None:
    """Leave script forms to the letters in SMALL, one form for both sizes."""
    names = font.getBestCmap()
    kept = {names[ord(letter)] for letter in SMALL if ord(letter) in names}
    table = font["GSUB"].table
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag != "ssty":
            continue
        for index in record.Feature.LookupListIndex:
            for part in table.LookupList.Lookup[index].SubTable:
                part = getattr(part, "ExtSubTable", part)
                if hasattr(part, "alternates"):
                    part.alternates = {
                        glyph: [forms[0], forms[0]]
                        for glyph, forms in part.alternates.items()
                        if glyph in kept
                    }
                else:
                    part.mapping = {
                        glyph: form for glyph, form in part.mapping.items() if glyph in kept
                    }

    # Browsers shape a formula as Latin text: the forms must be found there too.
    [small] = (
        index
        for index, record in enumerate(table.FeatureList.FeatureRecord)
        if record.FeatureTag == "ssty"
    )
    for record in table.ScriptList.ScriptRecord:
        found = record.Script.DefaultLangSys.FeatureIndex
        if small not in found:
            found.append(small)


def _narrow_tall_forms(font: TTFont) -> None:
    """Make the tall forms of brackets and roots hardly wider than the low ones.

    Chromium gives each of them the room of the widest, so that a bracket around
    one line stood in the room of a bracket around ten.
    """
    names = font.getBestCmap()
    variants = font["MATH"].table.MathVariants
    tall = dict(
        zip(
            variants.VertGlyphCoverage.glyphs,
            variants.VertGlyphConstruction,
            strict=True,
        )
    )
    for letters, sizes in (("()[]{}⌈⌉⌊⌋", 6), ("⟨⟩", 7), ("√", 3)):
        for letter in letters:
            # Beyond these sizes, they are put together from parts.
            forms = tall[names[ord(letter)]]
            del forms.MathGlyphVariantRecord[sizes:]
            forms.MathGlyphVariantCount = len(forms.MathGlyphVariantRecord)
    root = tall[names[ord("√")]]
    parts = {part.glyph for part in root.GlyphAssembly.PartRecords}
    for record in root.MathGlyphVariantRecord[1:]:
        _squeeze(font, record.VariantGlyph, 870)
    for glyph in parts:
        _squeeze(font, glyph, 900)
    for letter, left, width in (
        ("[", 30, 470), ("]", 85, 470), ("⌈", 30, 470), ("⌉", 85, 470),
        ("⌊", 30, 470), ("⌋", 85, 470),
    ):  # fmt: skip
        for part in tall[names[ord(letter)]].GlyphAssembly.PartRecords:
            _shift(font, part.glyph, -left, width)


def _squeeze(font: TTFont, name: str, width: int) -> None:
    """Scale a glyph sideways to the given width."""
    old, _ = font["hmtx"][name]
    if old > width:
        _move(font, name, lambda x: round(x * width / old), width)


def _shift(font: TTFont, name: str, by: int, width: int) -> None:
    """Shift a glyph sideways, unless it has been, and give it a width."""
    if font["hmtx"][name][0] > width:
        _move(font, name, lambda x: x + by, width)


def _move(font: TTFont, name: str, where: Callable[[int], int], width: int) -> None:
    outline = font["glyf"][name]
    if outline.isComposite():
        raise NotImplementedError(f"{name} is made of other glyphs")
    for index, (x, y) in enumerate(outline.coordinates):
        outline.coordinates[index] = (where(x), y)
    outline.recalcBounds(font["glyf"])
    font["hmtx"][name] = (width, outline.xMin)


def ranges(font: Path) -> str:
    """The letters of a font, as CSS writes them."""
    codes = sorted(TTFont(font).getBestCmap())
    runs: list[list[int]] = []
    for code in codes:
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return ",".join(f"U+{a:X}" if a == b else f"U+{a:X}-{b:X}" for a, b in runs)


def face(family: str, file: str, descriptors: str) -> str:
    """A font-face rule."""
    return (
        f'@font-face{{font-family:"{family}";src:url(fonts/{file}) format("woff2");'
        f"{descriptors};unicode-range:{ranges(FONTS / file)}}}\n"
    )


def main(sources: Path) -> None:
    """Make every font and write its rule into the style sheet."""
    FONTS.mkdir(parents=True, exist_ok=True)
    stix = next(sources.rglob("stix-two-text-latin-wght-normal.woff2")).parent
    tiro = next(sources.rglob("tiro-devanagari-hindi-devanagari-400-normal.woff2"))
    found = find_spec("ziamath")
    assert found is not None
    assert found.origin is not None
    math = Path(found.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"

    for style, name in (("normal", "stix-text"), ("italic", "stix-text-italic")):
        shutil.copy(stix / f"stix-two-text-latin-wght-{style}.woff2", FONTS / f"{name}.woff2")
        make(
            stix / f"stix-two-text-latin-ext-wght-{style}.woff2",
            FONTS / f"{name}-more.woff2",
            NAMES,
            ["ccmp", "locl", "mark", "mkmk"],
        )
    make(math, FONTS / "stix-math.woff2", CORE, ["ssty", "ccmp"])
    make(math, FONTS / "stix-math-more.woff2", MORE, ["ccmp"])
    make(tiro, FONTS / "tiro-hindi.woff2", HINDI, ["*"])
    shutil.copy(stix.parent / "LICENSE", FONTS / "OFL-STIX.txt")
    shutil.copy(tiro.parent.parent / "LICENSE", FONTS / "OFL-Tiro.txt")

    upright = "font-weight:400 700;font-style:normal;font-display:swap"
    italic = "font-weight:400 700;font-style:italic;font-display:swap"
    rules = "".join(
        [
            face("STIX Two Text", "stix-text.woff2", upright),
            face("STIX Two Text", "stix-text-more.woff2", upright),
            face("STIX Two Text", "stix-text-italic.woff2", italic),
            face("STIX Two Text", "stix-text-italic-more.woff2", italic),
            face("STIX Two Math", "stix-math.woff2", "font-display:swap"),
            face("STIX Two Math", "stix-math-more.woff2", "font-display:swap"),
            face("Tiro Devanagari Hindi", "tiro-hindi.woff2", "font-display:swap"),
        ]
    )
    style = STYLE.read_text(encoding="utf-8")
    before, rest = style.split(BEGIN)
    after = rest.split(END)[1]
    STYLE.write_text(f"{before}{BEGIN}\n{rules}{END}{after}", encoding="utf-8")
    for file in sorted(FONTS.glob("*.woff2")):
        print(f"{file.stat().st_size:7,d}  {file.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
