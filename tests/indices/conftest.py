"""Every value that needs an explanation has one: anybody might be shown it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from adjudge.indices.record import Noted


@pytest.fixture(autouse=True)
def reasons_may_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Noted.__init__

    def noted(self: Noted, *args: Any, **kwargs: Any) -> None:
        make(self, *args, **kwargs)
        assert isinstance(self.value, float), self
        assert not math.isfinite(self.value), self
        assert isinstance(self.reason, str), self
        assert self.reason, self
        assert "None" not in self.reason, self
        assert "\n" not in self.reason, self

    monkeypatch.setattr(Noted, "__init__", noted)
