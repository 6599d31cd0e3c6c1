"""Step times of large training jobs: records, readers and the methods of ARGUS, C4D and Falcon in plain NumPy.

Nothing here opens anything on import, and nothing knows of checks: `kb.checks` asks, this package answers.
"""
