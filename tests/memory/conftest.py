"""What tests of memory share."""

from tests.coordinate.conftest import dead as dead
