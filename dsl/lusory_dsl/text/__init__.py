"""Places in files, findings about them, and the doors to the disk and to what is shown."""
