"""The rules that a learner may doubt: each can be switched off, and the same model then follows the wrong belief.

A rule that is off is a small class mixed into the driver's or the NIC's: it replaces the one method in which the rule
lives. An honest run has none of them, and pays nothing for them. `off=flip` in a scenario switches one off.
"""

from __future__ import annotations

from rxviz.model.rules.at import At
from rxviz.model.rules.table import RULES, Rule, rules_for, with_rules_off

__all__ = ["RULES", "At", "Rule", "rules_for", "with_rules_off"]
