"""What both front ends show, made from the verbs' results: JSON shapes, text that is safe to print, masked
secrets.
"""
