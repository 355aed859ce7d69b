"""Plain data as YAML, in the look of Dify's exports (`yaml.dump(..., allow_unicode=True)`, keys in order)."""

from __future__ import annotations

import json
from typing import Any

import yaml

from workbench.errors import BadInputError
from workbench.records.yaml_reading import read_yaml

_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_WIDTH = 1000


def yaml_text(value: Any) -> str:
    """YAML that reads as `value`; JSON, which is YAML too, for what YAML can't say in its own way."""
    try:
        text: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)
        if read_yaml(text, "the written app").value == value:
            return text
    except (yaml.YAMLError, ValueError, BadInputError):
        pass
    return json.dumps(value, indent=1)
