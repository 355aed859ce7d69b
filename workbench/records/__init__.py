"""What Dify and graphon write, read leniently and kept byte for byte."""
