"""The kernel of this machine, asked what the model is asked (Linux only).

`oracle` feeds frames to its GRO through a tap device in a network namespace of its own; `compare` lays both answers
side by side; `sizes` reads struct sizes from its type information; `rcvbuf` counts what a socket's buffer takes.
"""
