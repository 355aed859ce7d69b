"""The graph of an app with box-drawing characters."""
