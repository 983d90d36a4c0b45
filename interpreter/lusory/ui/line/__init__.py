"""Line mode, and the tables that commands print."""
