"""Random runs of qede: what its ring, its driver and the card keep at the end, with the card's GRO and without."""

from __future__ import annotations

from hypothesis import given, settings

from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.model.steps import PAGE_FREE
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario
from tests.run.strategies import scenarios


@settings(max_examples=250, deadline=None)
@given(scenarios(drivers=("qede",)))
def test_at_the_end_every_page_is_accounted_for(scenario: Scenario) -> None:
    m = make_machine(scenario)
    m.run()
    ring, bill = m.ring, m.ledger
    assert isinstance(ring, QedeRing)
    kept = [page.id for page, _ in (*ring.references(), *m.driver.references())]
    assert len(set(kept)) == len(kept)
    assert bill.dma_maps - bill.dma_unmaps == len(kept)
    assert bill.dma_unmaps == bill.pages_given_up
    assert m.memory.next_id - m.counts[PAGE_FREE] == len(m.memory.pages)
    assert (m.nic.rdh, m.nic.rdt) == (ring.sw_rx_cons, ring.sw_rx_prod)
    assert ring.sw_comp_cons == ring.hw_comp_cons == ring.cqe_prod
    if ring.count < 128:
        assert len(ring.references()) == ring.filled_buffers == ring.count - 1


@settings(max_examples=150, deadline=None)
@given(scenarios(drivers=("qede",)))
def test_the_bill_adds_up(scenario: Scenario) -> None:
    m = make_machine(scenario)
    m.run()
    r = result(scenario, m)
    bill, pages = r["ledger"], r["pages"]
    posted = bill["descriptor_writes"] - (m.ring.count - 1)
    assert pages["reused"] <= posted
    assert bill["sync_device_bytes"] == bill["dma_maps"] * m.config.geometry.page
    assert bill["sync_cpu_bytes"] == bill["dma_unmaps"] * m.config.geometry.page
    if scenario.path == "build_skb":
        assert bill["header_parses"] == 0
    assert r["pages"]["flips"] == 0
    spent = r["cpu_ns"]
    assert spent["irq"] + spent["softirq"] == sum(spent["by_operation"].values())
