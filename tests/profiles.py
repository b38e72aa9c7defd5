"""How many cases Hypothesis tries: few and always the same ones, or with --hypothesis-profile=deep many and new ones.

A module of its own, imported once: conftest is imported both by pytest and by tests.
"""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "reproducible",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
# On demand, with --hypothesis-profile=deep: many more cases, and others each time.
settings.register_profile(
    "deep",
    parent=settings.get_profile("reproducible"),
    derandomize=False,
    max_examples=60 * 20,
    print_blob=True,
)
settings.load_profile("reproducible")


def examples(n: int, *, slow: bool = False) -> settings:
    """Settings for a property that is tried on `n` examples, and on more in a deeper profile.

    Where one example is slow, the first one that fails is shown as it is: no smaller one is looked for.
    """
    phases = [Phase.explicit, Phase.generate] if slow else list(Phase)
    return settings(
        max_examples=n * settings.default.max_examples // 60,
        suppress_health_check=list(HealthCheck),
        phases=phases,
    )
