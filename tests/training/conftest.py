from tests.evaluate.conftest import grown as grown
from tests.evaluate.conftest import past as past
