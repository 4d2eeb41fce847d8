"""Markdown extension that makes MathML of formulas. As on GitHub, `$` encloses inline formulas and `$$` encloses displayed formulas."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from html import unescape

import latex2mathml.converter
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

SHOWN = r"\$\$(.+?)\$\$"
WITHIN = r"(?<![\\\w$])\$(?![\s$])([^$\n]*[^$\s\\])\$(?![\w$])"
BAR = re.compile(r"<mo( stretchy=\"false\")?>&#x0007C;</mo>")
BAR_OF_LENGTH = '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'  # without these attributes a bar has the spaces of an operator, and a power after it stands too low
BETWEEN = re.compile(r"\s*\\q?quad\b\s*")
LETTERS = re.compile(r">([^<>]+)<")
LONGEST = 18  # letters of an inline formula that fits into a line of a phone; longer formulas scroll
BEFORE_ESCAPES = 185  # priority: after code, before backslashes, stars and underscores


def parts_of(formula: str) -> list[str]:
    """Splits a displayed line at its wide spaces into formulas, if every formula is complete."""
    parts = [part for part in BETWEEN.split(formula) if part]
    whole = all(part.count(a) == part.count(b) for part in parts for a, b in (("{", "}"), (r"\left", r"\right")))
    return parts if whole else [formula]


class Formula(InlineProcessor):
    def __init__(self, pattern: str, md: Markdown, display: str):
        super().__init__(pattern, md)
        self.compiled_re = re.compile(pattern, re.DOTALL)
        self.display = display

    def handleMatch(self, match: re.Match, data: str) -> tuple[str | etree.Element, int, int]:
        formula = " ".join(match[1].split())
        if self.display == "inline":
            html, letters = self.mathml(formula)
            html = f'<span class="long-formula">{html}</span>' if letters > LONGEST else html
        else:  # on a phone the formulas of one line stand below each other
            parts = map(self.mathml, parts_of(formula))
            html = "".join(f'<span style="--letters: {letters}">{part}</span>' for part, letters in parts)
            html = f'<span class="shown-formula">{html}</span>'
        return self.md.htmlStash.store(html), match.start(0), match.end(0)

    def mathml(self, formula: str) -> tuple[str, int]:
        """Returns the MathML of a formula and its number of letters."""
        html = BAR.sub(BAR_OF_LENGTH, latex2mathml.converter.convert(formula, display=self.display))
        return html, sum(len(unescape(text)) for text in LETTERS.findall(html))


class Formulas(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.inlinePatterns.register(Formula(SHOWN, md, "block"), "shown-formula", BEFORE_ESCAPES + 1)
        md.inlinePatterns.register(Formula(WITHIN, md, "inline"), "formula", BEFORE_ESCAPES)


def makeExtension(**options: object) -> Formulas:
    return Formulas(**options)
