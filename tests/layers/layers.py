#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the includes of the tree with the layers in layers.txt.

  layers.py --check    prints every include that the layers do not allow, and where HACKING.md differs from --picture
  layers.py --picture  prints the table of layers for HACKING.md
  --forbid A B         with --check: A may not include B; by this a test shows that the check can fail

known.txt lists the includes that break the order and remain to be removed, each with its reason. A line of it that no
longer breaks the order is an error too, so that the list only shrinks."""
import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)
CODE = {".hpp", ".h", ".cpp", ".cu", ".cuh"}
MOST_FILES = 30


class Layer:
    def __init__(self, line):
        self.name, folders, allowed, self.contents = (part.strip() for part in line.split("|"))
        self.folders, self.allowed = folders.split(), allowed.split()


def data_lines(name):
    return [line for line in (HERE / name).read_text().splitlines() if line and not line.startswith("#")]


def read_layers(forbidden):
    layers = {}
    for line in data_lines("layers.txt"):
        layer = Layer(line)
        layer.allowed = [a for a in layer.allowed if (layer.name, a) != forbidden]
        layer.reach = {layer.name}.union(*(layers[a].reach for a in layer.allowed)) if layer.allowed else {layer.name}
        layers[layer.name] = layer
    return layers


def layer_of(path, by_folder):
    """The layer that names the file, or else the longest folder that contains it."""
    for place in (path, *path.parents):
        if str(place) in by_folder:
            return by_folder[str(place)]
    return None


def code_files():
    return sorted(p.relative_to(ROOT) for top in ("include", "lib") for p in (ROOT / top).rglob("*") if p.suffix in CODE)


def target_of(path, name):
    """The file of the tree that an include names; None for other headers."""
    for base in (path.parent, Path("include"), Path("lib")):
        if (ROOT / base / name).is_file():
            return base / name
    return None


def broken_edges(layers):
    """(file, included file, sentence) for each include that is not allowed, and files without a layer."""
    by_folder = {folder: layer for layer in layers.values() for folder in layer.folders}
    for path in code_files():
        own = layer_of(path, by_folder)
        if own is None:
            yield path, path, "is in no layer"
            continue
        for name in INCLUDE.findall((ROOT / path).read_text()):
            target = target_of(path, name)
            if target is None:
                continue
            other = layer_of(target, by_folder)
            if other and other.name not in own.reach:
                yield path, target, f"{own.name} may not include {other.name}"


def crowded_folders():
    count = {}
    for path in code_files():
        count[path.parent] = count.get(path.parent, 0) + 1
    return {folder: n for folder, n in count.items() if n > MOST_FILES}


def undescribed_folders():
    """Folders of lib that HACKING.md does not name, and folders that it names and that do not exist."""
    text = (ROOT / "HACKING.md").read_text()
    named = set(re.findall(r"`((?:lib|include)/[\w/]+)/`", text))
    for folder in sorted({path.parent for path in code_files() if path.parts[0] == "lib"}):
        name = str(folder)
        # A row may describe a folder and name its subfolders alone, as `hccl/`.
        if name not in named and not (len(folder.parts) > 2 and f"`{folder.name}/`" in text):
            yield f"HACKING.md does not name the folder {name}/"
    for name in sorted(named):
        if not (ROOT / name).is_dir():
            yield f"HACKING.md names {name}/, which does not exist"


def picture(layers):
    lines = ["| layer | folders | may include | contents |", "|---|---|---|---|"]
    for layer in layers.values():
        folders = ", ".join(f"`{f}`" for f in layer.folders)
        lines.append(f"| {layer.name} | {folders} | {', '.join(layer.allowed) or 'nothing'} | {layer.contents} |")
    return "\n".join(lines) + "\n"


def check(layers):
    errors = []
    known = {tuple(line.split("|")[0].split()): line for line in data_lines("known.txt")}
    found = set()
    for path, target, sentence in broken_edges(layers):
        edge = (str(path), str(target))
        found.add(edge)
        if edge not in known:
            errors.append(f"{path}: includes {target}: {sentence}")
    errors += [f"tests/layers/known.txt: remove this line, it breaks no rule: {known[e]}" for e in known if e not in found]
    errors += [f"{folder}: {n} files; at most {MOST_FILES}, make subfolders" for folder, n in crowded_folders().items()]
    errors += undescribed_folders()
    if picture(layers) not in (ROOT / "HACKING.md").read_text():
        errors.append("HACKING.md: the table of layers differs from `tests/layers/layers.py --picture`")
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--picture", action="store_true")
    parser.add_argument("--forbid", nargs=2, metavar=("A", "B"), default=("", ""))
    options = parser.parse_args()
    layers = read_layers(tuple(options.forbid))
    if options.picture:
        print(picture(layers), end="")
        return 0
    errors = check(layers)
    print("\n".join(errors) or "every include follows the layers")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
