"""Markdown extension that keeps names with hyphens, such as --gpus and pt-run, in one line of a page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

NAME = re.compile(r"((?<![\w-])[\w-]*-\w[\w-]*)")
LONGEST = 26  # letters of a name that fits into a line of a phone; longer names may break
AFTER_INLINE = 15  # priority: after the text of a page has become elements


class Names(Treeprocessor):
    def run(self, root: etree.Element) -> None:
        """Wraps each name of inline code into a span; odd parts of a split text are names."""
        for code in root.iter("code"):
            parts = NAME.split(code.text or "")
            if len(code) or len(parts) == 1:
                continue
            code.text = AtomicString(parts[0])
            for name, text in zip(parts[1::2], parts[2::2], strict=True):
                span = etree.SubElement(code, "span", {"class": "name"} if len(name) <= LONGEST else {})
                span.text, span.tail = AtomicString(name), AtomicString(text)


class Options(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(Names(md), "options", AFTER_INLINE)


def makeExtension(**options: object) -> Options:
    return Options(**options)
