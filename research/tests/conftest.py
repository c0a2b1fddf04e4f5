"""Fixtures of the package's tests that tests of research use too."""

from tests.conftest import homes as homes
from tests.conftest import nobodys_settings as nobodys_settings
from tests.conftest import one_key as one_key
from tests.conftest import repository as repository
from tests.evaluate.conftest import grown as grown
from tests.evaluate.conftest import past as past
