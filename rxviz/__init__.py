"""rxviz: watch a frame become an skb, one step at a time, forwards and backwards."""

__version__ = "0.1.0"
