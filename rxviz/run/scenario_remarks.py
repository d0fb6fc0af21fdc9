"""What a person should know about a scenario: where it is not as the driver would have it, or does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failing import FailingMachine
from rxviz.model.failures import ALLOC_SKB
from rxviz.model.rules import RULES, At
from rxviz.run import patches, scenario_napi
from rxviz.run.spots import spot_text

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.run.scenario import Scenario


def remarks(s: Scenario) -> list[str]:
    """Return what a person should know about the scenario: where it is not as the driver would have it."""
    rules = s.rules
    said = patches.remarks(s.driver, s.kernel, s.patches)
    if rules.refill_rule == "lazy":
        said += _on_lazy_refill(s)
    elif s.ring < rules.min_ring:
        said.append(
            f"A ring of {s.ring} is for teaching: the driver's smallest is {rules.min_ring}. With its batches"
            f" of {rules.rx_buffer_write} a ring this small would hardly be refilled, so the batch is"
            f" {s.refill_at} here."
        )
    elif s.refill and s.refill != rules.rx_buffer_write:
        said.append(f"The refill batch is {s.refill_at}; the driver's own is {rules.rx_buffer_write}.")
    if rules.hw_gro_switch == "gro" and (s.gro, s.hw_gro) == ("on", "off"):
        said.append(f"In {s.kernel} the card merges frames whenever GRO is on; here it does so with hw_gro=on only.")
    said += scenario_napi.remarks(s)
    if s.rsc == "on":
        said.append(
            "rsc=on has the driver choose the buffers that it has with RSC (LRO in the NIC). That the NIC also puts"
            " frames together before it writes them is not modelled."
        )
    if s.bad_frames == "stored":
        said.append(
            "bad_frames=stored: the NIC writes bad frames to memory, as no driver asks for unless a person wants"
            " to see them (rx-all), and then it does not throw them away."
        )
    if s.gro == "off" and any(RULES[name].gro for name in s.off_rules):
        said.append("GRO is off, so rules of GRO make no difference.")
    if s.hw_gro == "off" and any(RULES[name].at is At.TPA for name in s.off_rules):
        said.append("hw_gro is off, so the card merges nothing, and rules of its aggregations make no difference.")
    if "skb_before_bd" in s.rule_names and "skb_before_bd" not in s.off_rules and _lacks_skbs(s):
        said.append(
            f"Without an skb {s.driver} leaves the BD as it is, as since 6.18.40; off=skb_before_bd has what it did"
            " before."
        )
    said += _on_merging(s)
    if s.gro == "off" and (s.udp_gro == "on" or s.vxlan):
        said.append("GRO is off, so who asks for UDP, or has a tunnel, makes no difference.")
    if s.rxvlan == "on" and not s.vlan and not s.traffic.startswith("capture:"):
        said.append("Frames that are made carry no VLAN tag without vlan=, so there is none to take out.")
    if s.page_size != 4096:
        said.append("Struct sizes are those of x86_64 with pages of 4,096 bytes, also on these larger pages.")
    return said


def remarks_at_end(machine: Machine) -> list[str]:
    """Return what only the end of a run shows: which parts of `fail` it never came to, in one sentence."""
    if not isinstance(machine, FailingMachine) or not (unmet := machine.unmet()):
        return []
    whys: dict[str, str] = {}
    for spot in unmet:
        made = machine.failures.attempts.get(spot.kind, -1)
        if made < 0:
            whys["pages"] = "no frame came to such a page"
        else:
            times = {0: "was never tried", 1: "was tried once"}.get(made, f"was tried {made:,} times")
            whys[spot.kind] = f"{spot.kind} {times}"
    return [f"fail={','.join(map(spot_text, unmet))} never took effect: {', '.join(whys.values())}."]


def _lacks_skbs(s: Scenario) -> bool:
    return any(spot.kind == ALLOC_SKB for spot in s.fails.spots)


def _on_lazy_refill(s: Scenario) -> list[str]:
    """What there is to know of a ring whose driver puts allocations off."""
    rules = s.rules
    if s.ring < rules.min_ring:
        return [
            f"A ring of {s.ring} is for teaching: the driver's smallest is {rules.min_ring}. It puts an"
            f" allocation off while more than {rules.rx_buffer_write} buffers are posted; here that number is"
            f" {s.refill_at}. Its own count of them would run away on so small a ring, and is kept right."
        ]
    if s.refill and s.refill != rules.rx_buffer_write:
        return [
            f"Allocations are put off while more than {s.refill_at} buffers are posted; the driver's own number"
            f" is {rules.rx_buffer_write}."
        ]
    return []


def _on_merging(s: Scenario) -> list[str]:
    """What a person should know who asks for GRO, LRO or a bridge."""
    said = []
    if s.gro == "on" and not s.calls_gro:
        said.append(f"gro=on does nothing here: {s.driver} hands its skbs to netif_receive_skb, and nobody calls GRO.")
    if s.lro == "on" and s.rxcsum == "off":
        said.append("lro=on does nothing here: LRO takes only what the NIC vouches for, and rxcsum is off.")
    elif s.lro == "on" and s.forward != "off" and "lro_off_in_bridge" not in s.off_rules:
        said.append("lro=on does nothing here: the kernel switches LRO off on a device that joins a bridge.")
    if "lro" in DRIVERS[s.driver].offers:
        said.append("Struct sizes are those of x86_64; machines with this NIC have smaller ones.")
    return said
