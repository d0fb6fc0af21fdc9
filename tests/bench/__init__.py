"""The benchmark: how fast the model, time travel and the screens are, mostly as ratios within one run.

python -m tests.bench [--json] [--quick] [--only NAME,NAME]
"""
