"""Receive routines, one driver a file, each in the order and with the names of the driver it models."""
