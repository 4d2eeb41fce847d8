"""Markdown extension: formulas between dollars, as on GitHub, become MathML when the site is built; `$$` begins and ends those with a line of their own."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree

import latex2mathml.converter
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

SHOWN = r"\$\$(.+?)\$\$"
WITHIN = r"(?<![\\\w$])\$(?![\s$])([^$\n]*[^$\s\\])\$(?![\w$])"
BAR = re.compile(r"<mo( stretchy=\"false\")?>&#x0007C;</mo>")
BAR_OF_LENGTH = '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'  # else with the room of an operator, and powers behind it too low
BEFORE_ESCAPES = 185  # priority: after code, before anything that reads backslashes, stars and underscores


class Formula(InlineProcessor):
    def __init__(self, pattern: str, md: Markdown, display: str):
        super().__init__(pattern, md)
        self.compiled_re = re.compile(pattern, re.DOTALL)
        self.display = display

    def handleMatch(self, match: re.Match, data: str) -> tuple[str | etree.Element, int, int]:
        formula = latex2mathml.converter.convert(" ".join(match[1].split()), display=self.display)
        formula = BAR.sub(BAR_OF_LENGTH, formula)
        return self.md.htmlStash.store(formula), match.start(0), match.end(0)


class Formulas(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.inlinePatterns.register(Formula(SHOWN, md, "block"), "shown-formula", BEFORE_ESCAPES + 1)
        md.inlinePatterns.register(Formula(WITHIN, md, "inline"), "formula", BEFORE_ESCAPES)


def makeExtension(**options: object) -> Formulas:
    return Formulas(**options)
