"""`rxviz gro`: what GRO makes of the frames of a capture."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rxviz.cli import say
from rxviz.cli.numbers import Whole
from rxviz.cli.what import break_off

if TYPE_CHECKING:
    from rxviz.capture.frames import Arrival
    from rxviz.cli.passing import Passing
    from rxviz.run.gro import GroOptions

LONGEST_POLL = 4096
MOST_HZ = 10_000
LAYOUTS = ("build_skb", "legacy", "copied", "heads")

_PORT = Whole(1, 65535)

EXAMPLES = """\b
Examples:
  rxviz gro tcp-bulk
  rxviz gro capture.pcap --poll 16 --layout legacy
  rxviz gro reorder-loss --why 127,128
  rxviz gro vxlan --vxlan 4789
  rxviz gro reorder-loss --off gro_in_sequence --off gro_ip_id
  rxviz gro tcp-bulk --lro
  rxviz gro capture.pcap --json | jq .delivered[].segs

\b
CAPTURE is a file (pcap or pcapng, plain or gzipped) or one that comes with
rxviz: mixed, tcp-bulk, udp-64, vxlan, ipv6-tcp, vlan, reorder-loss, jumbo.
./NAME is always a file.
"""


_NOT_OF_LRO = ("hash", "hz", "vxlan", "udp_gro", "udp_forwarding", "gro_list", "max_size")
"""Options that say something of GRO, and nothing of LRO."""
LRO_KERNEL = "3.9"
"""The kernel whose driver has LRO here."""


@click.command("gro", epilog=EXAMPLES)
@click.argument("capture", metavar="CAPTURE", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
@click.option("--poll", metavar="N", type=Whole(1, LONGEST_POLL), default=63, help="Frames to a poll (63).")
@click.option(
    "--layout", type=click.Choice(LAYOUTS), default="build_skb", help="How the driver makes the skb (build_skb)."
)
@click.option("--kernel", metavar="V", default="6.18", help="Whose rules: 3.9 and later (6.18).")
@click.option(
    "--hash", type=click.Choice(("zero", "flow")), default="zero",
    help="The card's receive hash: none, so that all flows share a bucket, or one for each flow (zero).",
)  # fmt: skip
@click.option(
    "--hz", metavar="N", type=Whole(1, MOST_HZ), default=250,
    help="The kernel's HZ; below 1000 all that is held leaves at each 64th frame (250).",
)  # fmt: skip
@click.option(
    "--checksums", type=click.Choice(("trusted", "verified", "software")), default="trusted",
    help="The card vouches for every TCP and UDP checksum, for those that are right, or for none (trusted).",
)  # fmt: skip
@click.option("--mtu", metavar="N", type=Whole(68, 9710), help="Sets the size of receive buffers (1500).")
@click.option(
    "--vlan", type=click.Choice(("strip", "keep")), default="strip",
    help="The card takes an 802.1Q tag out of the frame, or leaves it there (strip).",
)  # fmt: skip
@click.option("--vxlan", metavar="PORT", type=_PORT, help="A VXLAN tunnel ends here, at this port.")
@click.option("--udp-gro", metavar="PORT", type=_PORT, multiple=True, help="A socket with UDP_GRO is at this port.")
@click.option("--udp-forwarding", is_flag=True, help="The feature rx-udp-gro-forwarding is on: UDP is merged too.")
@click.option("--gro-list", is_flag=True, help="The feature rx-gro-list is on: whole skbs are chained.")
@click.option(
    "--max-size", metavar="BYTES", type=Whole(1500, 524_280), default=65_536,
    help="gro_max_size and gro_ipv4_max_size of the device (65536); more is BIG TCP.",
)  # fmt: skip
@click.option("--off", metavar="RULE", multiple=True, help="Switch a rule of GRO off, by its name; --rules lists them.")
@click.option("--rules", is_flag=True, help="List the rules, and do nothing else.")
@click.option("--lro", is_flag=True, help="inet_lro in GRO's place, as mv643xx_eth had it in Linux 3.9.")
@click.option(
    "--forward", is_flag=True,
    help="Cut each skb again as a bridge does, and say which frames come out changed; --off and --lro do so too.",
)  # fmt: skip
@click.option("--why", metavar="N,M", help="Every rule between frames N and M, and the least change to make M join N.")
@click.pass_context
def command(
    ctx: click.Context, capture: str | None, as_json: bool, poll: int, layout: str, kernel: str, hash: str, hz: int,
    checksums: str, mtu: int | None, vlan: str, vxlan: int | None, udp_gro: tuple[int, ...], udp_forwarding: bool,
    gro_list: bool, max_size: int, off: tuple[str, ...], rules: bool, lro: bool, forward: bool, why: str | None,
) -> int:  # fmt: skip
    """Print which frames of a capture GRO makes one skb of, and why each skb ended.

    Frames go through poll after poll, so many to a poll whatever their times. A capture that breaks off goes through
    up to that place; then the exit status is 2.
    """
    if rules:
        return _print_rules(ctx)
    if capture is None:
        raise click.UsageError("Missing argument 'CAPTURE'", ctx)
    from rxviz.cli.passing import passing
    from rxviz.model.gro.kernel import GroConfig
    from rxviz.run.gro import GroOptions
    from rxviz.run.gro_layouts import Layout

    asked = None if why is None else _pair(why)
    broken = frozenset(name for names in off for name in names.split(","))
    if lro:
        if broken or asked:
            raise click.UsageError(f"--lro has no rules that {'--off' if broken else '--why'} knows", ctx)
        kernel = _of_lro(ctx, kernel)
    if forward and asked:
        raise click.UsageError("--forward cuts all skbs, and --why looks at two frames; give one of them", ctx)
    config = GroConfig(
        hz=hz,
        vxlan_ports=frozenset((vxlan,) if vxlan else ()),
        udp_gro_ports=frozenset(udp_gro),
        udp_forwarding=udp_forwarding,
        fraglist=gro_list,
        max_size=max_size,
        ipv4_max_size=max_size,
    )
    options = GroOptions(
        _known(kernel), poll, Layout(layout), hash, checksums, strip_vlan=vlan == "strip", off=broken, lro=lro,
        forward=forward or lro or bool(broken), config=config,
    )  # fmt: skip
    options.rules_off()
    with passing(capture, mtu) as source:
        options = _with_mtu(options, source.located.mtu)
        if asked is not None:
            return _answer(source, asked, options, as_json)
        if as_json:
            _stream_json(source, options)
        else:
            say.data(_table(source, options))
        return _end(source, notes=as_json)


def _given(ctx: click.Context) -> list[str]:
    """Return the names of what was given on the command line."""
    return [name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]


def _option(ctx: click.Context, name: str) -> str:
    """Return a parameter as it is typed."""
    param = next(param for param in ctx.command.params if param.name == name)
    return param.opts[0] if isinstance(param, click.Option) else name.upper()


def _print_rules(ctx: click.Context) -> int:
    """Print the rules; what else was asked for would not be done, so it is refused."""
    others = [name for name in _given(ctx) if name != "rules"]
    if others:
        raise click.UsageError(f"--rules lists the rules, and does nothing with {_option(ctx, others[0])}", ctx)
    from rxviz.cli import gro_rules

    say.data(gro_rules.lines())
    return 0


def _of_lro(ctx: click.Context, kernel: str) -> str:
    """Return LRO's kernel; refuse another one, and what has a meaning for GRO only."""
    given = _given(ctx)
    if "kernel" in given and kernel != LRO_KERNEL:
        raise click.UsageError(f"--lro is that of Linux {LRO_KERNEL}; leave --kernel out", ctx)
    foreign = next((name for name in given if name in _NOT_OF_LRO), None)
    if foreign is not None:
        raise click.UsageError(f"{_option(ctx, foreign)} is for GRO; --lro knows nothing of it", ctx)
    return LRO_KERNEL


def _pair(text: str) -> tuple[int, int]:
    from rxviz.cli.gro_asked import pair

    return pair(text)


def _known(kernel: str) -> str:
    """Return the version if GRO is modelled in it; ScenarioError before the capture is even opened."""
    from rxviz.errors import ScenarioError, quoted
    from rxviz.run.gro_kernels import gro_kernels, gro_rules

    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,5}){1,3}", kernel):
        raise ScenarioError(f"{quoted(kernel, 40)} is not a kernel version; write it as in 6.18")
    gro_rules(kernel)
    newest = gro_kernels()[-1]
    if [int(part) for part in kernel.split(".")][:2] > [int(part) for part in newest.split(".")]:
        say.note(f"the rules of {newest} are the newest known, so {kernel} gets those")
    return kernel


def _with_mtu(options: GroOptions, mtu: int) -> GroOptions:
    from dataclasses import replace

    return replace(options, mtu=mtu)


def _table(source: Passing, options: GroOptions) -> Iterator[str]:
    from dataclasses import replace
    from textwrap import wrap

    from rxviz.cli.gro_sums import NARROW
    from rxviz.cli.gro_table import footnote, table
    from rxviz.run.gro import GroReplay

    replay = GroReplay(options)
    beside = GroReplay(replace(options, off=frozenset(), forward=False)) if options.off else None
    title = f"{source.located.name}: what {'LRO' if options.lro else 'GRO'} makes of it"
    yield from table(title, replay, _watched(source), beside)
    for note in source.notes():
        yield ""
        yield from wrap(f"Capture: {note}.", NARROW)
    yield from footnote()


def _stream_json(source: Passing, options: GroOptions) -> None:
    from tempfile import TemporaryFile

    from rxviz.run.gro import write_json

    if sys.stdout is None:
        return
    with TemporaryFile("w+", encoding="ascii") as spool:
        write_json(_watched(source), options, sys.stdout, spool)


def _watched(source: Passing) -> Iterator[Arrival]:
    """Pass the frames on and show how many there were, unless the rows of the table show it on the same terminal."""
    from rxviz.cli.progress import Progress

    if sys.stdout is not None and sys.stdout.isatty():
        yield from source.frames
        return
    with Progress(0) as progress:
        for number, frame in enumerate(source.frames):
            progress.show(number)
            yield frame


def _answer(source: Passing, asked: tuple[int, int], options: GroOptions, as_json: bool) -> int:
    from rxviz.cli import gro_asked

    answer = gro_asked.ask(_watched(source), *asked, options)
    if as_json:
        import json

        say.data([json.dumps(gro_asked.as_json(answer, options.kernel))])
    else:
        say.data(gro_asked.lines(source.located.name, answer))
    return 0


def _end(source: Passing, *, notes: bool) -> int:
    for note in source.notes() if notes else ():
        say.note(note)
    if broken := break_off(source.reader, source.reader.seen):
        say.note(broken)
    return 2 if broken else 0
