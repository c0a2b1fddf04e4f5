"""From files to the store: scan, filter, parse, chunk, link, pipeline."""
