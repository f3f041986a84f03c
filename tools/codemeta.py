"""Write codemeta.json anew: ``python tools/codemeta.py``.

What it says stands in CITATION.cff and in pyproject.toml; it is never edited by hand.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]


def codemeta() -> dict[str, Any]:
    """The library and its book in the words of CodeMeta 3.0."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": citation["title"],
        "identifier": project["name"],
        "description": " ".join(citation["abstract"].split()),
        "author": [_author(author) for author in citation["authors"]],
        "version": str(citation["version"]),
        "dateModified": str(citation["date-released"]),
        "license": f"https://spdx.org/licenses/{citation['license']}",
        "keywords": citation["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "developmentStatus": "active",
    }


def _author(author: dict[str, str]) -> dict[str, str]:
    if "name" in author:
        return {"type": "Organization", "name": author["name"]}
    return {
        "type": "Person",
        "givenName": author.get("given-names", ""),
        "familyName": author.get("family-names", ""),
    }


def text() -> str:
    """The file."""
    return json.dumps(codemeta(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    (ROOT / "codemeta.json").write_text(text(), encoding="utf-8")
