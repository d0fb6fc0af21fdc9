"""Captures in and out: pcap and pcapng, plain or gzipped, read as a stream."""
