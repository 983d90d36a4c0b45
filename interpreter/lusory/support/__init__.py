"""Caches and folders on disk, worker processes, git, and checks of the installation."""
