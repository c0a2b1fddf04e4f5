"""Haskell: `Shop.Card` is `Shop/Card.hs` below some folder of sources."""

from clew.index.modules.source_tree import SourceTree, count_common_folders


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    place = f"{module.replace('.', '/')}.hs"
    found = [one for one in world.files_named(place.rpartition("/")[2]) if one == place or one.endswith(f"/{place}")]
    return sorted(found, key=lambda one: (-count_common_folders(one, path), one))[:1]
