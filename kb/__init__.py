"""The Incident Library: public post-incident reports, and the checks that would have caught them."""

__version__ = "0.1.0"
