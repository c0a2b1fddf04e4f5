"""Fixtures of the package's tests that tests of benchmarks use too."""

from tests.conftest import homes as homes
from tests.conftest import nobodys_settings as nobodys_settings
from tests.conftest import one_key as one_key
