"""Services for all other packages: configuration, paths, git processes, plug-ins, trust."""
