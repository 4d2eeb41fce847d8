"""Puts drawings into a page. An SVG file may come from somebody else. So only shapes, texts and pixels get into the page, but no scripts, links or requests."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from xml.etree import ElementTree

from psflip.campaign.errors import reading

NAMESPACES = ("", "{http://www.w3.org/2000/svg}")
LINK = "{http://www.w3.org/1999/xlink}href"
SHAPES = ("circle", "clipPath", "defs", "ellipse", "g", "image", "line", "linearGradient", "marker", "path", "pattern", "polygon", "polyline", "radialGradient", "rect",
          "stop", "svg", "text", "title", "tspan", "use")  # fmt: skip
LEFT_OUT = ("metadata", "style")
PIXELS = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=\s]*")
INSIDE = re.compile(r"url\(\s*[\"']?#")  # the only allowed url(): another element of the drawing


def plain(html: str) -> str:
    """Removes tags, for use in an attribute."""
    return escape(re.sub(r"<[^>]+>", "", html), quote=True)


def local(tag: object) -> str:
    """Returns the name of an element of SVG, empty for anything else."""
    namespace, brace, name = str(tag).rpartition("}")
    return name if namespace + brace in NAMESPACES else ""


def attribute(name: str, value: str, prefix: str) -> tuple[str, str]:
    """Returns name and value of an attribute in the page, where ids begin with `prefix`. ValueError if the value may do more than draw."""
    name = "href" if name == LINK else name
    if name.startswith("{http://www.w3.org/XML/1998/namespace}"):
        return "", ""  # such as xml:space
    if not re.fullmatch(r"[a-zA-Z][\w-]*", name) or name.lower().startswith("on"):
        raise ValueError(f"it has an attribute {name}")
    if name == "href" and not value.startswith("#") and not PIXELS.fullmatch(value):
        raise ValueError(f"it has a link to {value[:40]}")
    if "\\" in value or "url(" in INSIDE.sub("", value).lower():
        raise ValueError(f"{name} refers to something outside the file")
    if name == "id":
        return name, prefix + value
    return name, f"#{prefix}{value[1:]}" if name == "href" and value.startswith("#") else INSIDE.sub(f"url(#{prefix}", value)


def copied(element: ElementTree.Element, prefix: str) -> ElementTree.Element:
    """Returns an element and its content as they get into the page."""
    name = local(element.tag)
    if name not in SHAPES:
        raise ValueError(f"it has {f'an element {element.tag}' if isinstance(element.tag, str) else 'a comment or an instruction instead of an element'}")
    copy = ElementTree.Element(name, dict(attribute(key, value, prefix) for key, value in element.attrib.items()))
    copy.attrib.pop("", None)
    copy.text = re.sub(r"\s+", " ", element.text) if element.text and element.text.strip() else None
    for child in element:
        if local(child.tag) in LEFT_OUT or (local(child.tag) == "defs" and all(local(one.tag) in LEFT_OUT for one in child)):
            continue
        one = copied(child, prefix)
        one.tail = re.sub(r"\s+", " ", child.tail) if child.tail and child.tail.strip() else None
        copy.append(one)
    return copy


def inline_svg(file: Path, label: str) -> str:
    """Returns the drawing of an SVG file for use inside a page, without declaration and metadata. Every id begins with the file's name, because ids of several drawings
    would clash. StudyError if the file is not a drawing, or contains more than shapes, texts and pixels."""
    with reading(file, "a drawing of psflip (remove it, and it is drawn again)"):
        text = file.read_text(encoding="utf-8")
        try:
            root = ElementTree.fromstring(text[text.index("<svg") :])
        except ElementTree.ParseError as error:
            raise ValueError(str(error)) from None
        drawn = copied(root, f"{file.stem}-")
    for name in ("width", "height"):
        drawn.attrib.pop(name, None)
    text = ElementTree.tostring(drawn, encoding="unicode")
    return f'<svg{text[4:].partition(">")[0].removesuffix(" /")} role="img" aria-label="{plain(label)}">{text.partition(">")[2] or "</svg>"}'
