# SPDX-License-Identifier: Apache-2.0
"""Writes small SVG charts: text, boxes and lines, with no package but Python's own."""

from html import escape

INK, MUTED, GRID = "#1f2328", "#59636e", "#d8dee4"
FONT = "font-family='system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif'"


class Svg:
    """A picture on white, so that it can be read on a dark page, too."""

    def __init__(self, width, height, title):
        self.parts = [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' {FONT}>",
            f"<title>{escape(title)}</title>",
            f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
        ]

    def box(self, x, y, width, height, fill, hint=""):
        inside = f"<title>{escape(hint)}</title>" if hint else ""
        self.parts.append(
            f"<rect x='{x:.1f}' y='{y:.1f}' width='{max(width, 0.5):.1f}' height='{height:.1f}' fill='{fill}'>{inside}</rect>"
        )

    def line(self, x1, y1, x2, y2, color=GRID, width=1):
        self.parts.append(
            f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{color}' stroke-width='{width}'/>"
        )

    def text(self, x, y, words, size=13, color=INK, anchor="start", weight="normal"):
        self.parts.append(
            f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{color}' text-anchor='{anchor}' "
            f"font-weight='{weight}'>{escape(words)}</text>"
        )

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*self.parts, "</svg>", ""]))
