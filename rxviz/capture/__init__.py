"""Captures in and out: pcap and pcapng, plain or gzipped, read as a stream.

Why a reader of our own. A replay needs four things of each record: whole nanoseconds, the length on the wire
beside the bytes that were kept, the link type of the record's own interface, and the byte at which a broken
file breaks. Of the Python readers tried, dpkt hands out records without the length on the wire, loses simple
packet blocks and gives the cut-off last record as if it were whole; python-pcapng reads no classic pcap and
gives its times as floats; pypcapkit takes a big endian file for one packet of gigabytes; scapy stumbles over
simple packet blocks, and its licence does not go with ours. The formats are small, so they are read here.

`reader` gives the records of a file, `frames` those that an Ethernet NIC could have received, `writer` makes
files.
"""
