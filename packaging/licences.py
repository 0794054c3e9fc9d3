"""What debian/copyright and Package.resolved say about the code that the programs contain."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEBIAN = ROOT / "packaging/debian"
CHECKOUTS = ".build/checkouts/"
TOOLCHAIN = "/opt/swift/"


class Stanza:
    """A paragraph of debian/copyright for files outside of this repository."""

    def __init__(self, fields):
        self.path = fields["Files"].removesuffix("/*")
        self.licence = fields["License"].splitlines()[0]
        self.holders = [line.strip() for line in fields["Copyright"].splitlines() if line.strip()]

    @property
    def package(self):
        """The folder of the package, such as swift-nio. None for a part of the toolchain."""
        return self.path.removeprefix(CHECKOUTS).split("/")[0] if self.path.startswith(CHECKOUTS) else None

    @property
    def is_whole(self):
        return self.path == CHECKOUTS + str(self.package)


def paragraphs(path=DEBIAN / "copyright"):
    """The paragraphs of a file in Debian's format, each as a dictionary."""
    for paragraph in re.split(r"\n\s*\n", path.read_text().strip()):
        fields = {}
        for line in paragraph.splitlines():
            if line[0] in " \t":
                fields[name] += "\n" + line.strip()
            else:
                name, value = line.split(":", 1)
                fields[name] = value.strip()
        yield fields


def stanzas():
    return [Stanza(each) for each in paragraphs() if each.get("Files", "*") != "*"]


def pins():
    """The packages of Package.resolved by the name of their folder in .build/checkouts."""
    resolved = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    return {pin["location"].removesuffix(".git").rsplit("/", 1)[-1]: pin for pin in resolved}
