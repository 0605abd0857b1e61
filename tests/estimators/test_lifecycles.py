"""Estimators are fitted wholly or not at all, whatever was done with them before; the campaign has more of the same."""

import tempfile
import warnings

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from bench.campaigns.lifecycles import KINDS, Life

NUMBERS = st.integers(0, 8)


@pytest.mark.parametrize("kind", KINDS)
def test_a_life_of_any_steps(kind):
    class Lives(RuleBasedStateMachine):
        """Steps of one estimator; each of them checks what holds after it."""

        @initialize()
        def begin(self):
            self.folder = tempfile.TemporaryDirectory()
            self.life = Life(kind, self.folder.name)

        @rule(which=NUMBERS)
        def fit(self, which):
            self.life.fit(which)

        @rule(which=NUMBERS)
        def fail(self, which):
            self.life.fail(which)

        @rule(which=NUMBERS)
        def set_params(self, which):
            self.life.set_params(which)

        @rule(how=NUMBERS)
        def copy(self, how):
            self.life.copy(how)

        @rule()
        def clone(self):
            self.life.clone()

        @rule()
        def save(self):
            self.life.save()

        @rule()
        def update(self):
            self.life.update()

        @rule()
        def report(self):
            self.life.report()

        def teardown(self):
            self.folder.cleanup()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_state_machine_as_test(
            Lives, settings=settings(max_examples=max(2, settings.default.max_examples // 12), stateful_step_count=10)
        )
