"""The receive path: memory, ring, NIC, drivers, NAPI, skb, socket. Pure: no screen, no file, no clock but its own."""
