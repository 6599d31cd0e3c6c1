"""`make bench`: how long things take, beside peers that serve the same texts in the same run.

Speed is measured here and asserted nowhere: the machine decides the milliseconds, so what is printed to be kept is
the ratio to a peer. Not collected by pytest; `tests/test_bench.py` runs it once at toy size so that it cannot rot.
"""
