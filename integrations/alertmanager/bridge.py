#!/usr/bin/env python3
"""Adds to each alert in a chat: has this happened before, and what to check next.

Alertmanager posts its webhook here; this program asks an Incident Library for similar cases and posts a short text to
the incoming webhook of a chat (Slack, Mattermost and whatever takes `{"text": …}`). Standard library only.

    bridge.py --library http://127.0.0.1:8000 --to https://chat.example/hooks/… [--listen 127.0.0.1:9095]
              [--form slack | markdown] [--lang ko] [--min strong | weak | none]

Alertmanager is answered 200 once the chat has taken the text, and 502 otherwise, upon which it tries again.
"""

import argparse
import html
import http.client
import json
import re
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ORDER = ("none", "weak", "strong")
MAX_BODY = 1_000_000
PATIENCE = 15


def post(url: str, body: bytes) -> bytes:
    """The body of the answer to a POST of JSON."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 (http by option)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        content: bytes = answer.read()
    return content


def text_of(webhook: dict[str, Any], answer: dict[str, Any], form: str) -> str:
    """The group in one line, then what the library says of it."""
    labels = webhook.get("commonLabels") or webhook.get("groupLabels") or {}
    where = ", ".join(f"{name}={value}" for name, value in sorted(labels.items()) if name != "alertname")
    head = f"{labels.get('alertname', 'alerts')} {answer['status']}" + (f" ({where})" if where else "")
    text = f"{head}\n{answer['message']}"
    if form == "slack":
        # Slack reads `<!channel>` and `<@…>` as orders; these three characters are all that it asks to be escaped.
        text = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", r"<\2|\1>", html.escape(text, quote=False))
    return text


class Handler(BaseHTTPRequestHandler):
    """One webhook in, at most one text out."""

    options: argparse.Namespace

    def do_POST(self) -> None:
        told = self.headers.get("Content-Length") or "0"
        if not told.isdecimal():
            self.finish_with(400, "a length is no number")
            return
        length = int(told[:20])
        if length > MAX_BODY:
            self.finish_with(413, "too large")
            return
        body = self.rfile.read(length)
        try:
            webhook = json.loads(body)
            answer = json.loads(post(self.options.library_url, body))
            wanted = ORDER.index(answer["verdict"]) >= ORDER.index(self.options.min)
            text = text_of(webhook, answer, self.options.form)
        except urllib.error.HTTPError as error:
            # A body that the library refuses is refused again however often it is sent.
            self.finish_with(400 if error.code == 422 else 502, f"the library answered {error.code}")
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, AttributeError) as error:
            # The last four: what was reached is not an Incident Library, or not one of this version.
            self.finish_with(502, f"{type(error).__name__}: {error}")
        else:
            self.finish_with(*(self.add(text) if wanted else (200, "nothing to add")))

    def add(self, text: str) -> tuple[int, str]:
        """What Alertmanager is answered. The address of the chat is a secret, which an error's words may hold."""
        try:
            post(self.options.to, json.dumps({"text": text}).encode())
        except urllib.error.HTTPError as error:
            return 502, f"the chat answered {error.code}"
        except (OSError, http.client.HTTPException, ValueError) as error:
            return 502, f"the chat cannot be reached: {type(error).__name__}"
        return 200, "added"

    def finish_with(self, status: int, words: str) -> None:
        body = words.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form: str, *values: object) -> None:
        sys.stderr.write(f"bridge: {form % values}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="address of the Incident Library")
    parser.add_argument("--to", required=True, help="incoming webhook of the chat")
    parser.add_argument("--listen", default="127.0.0.1:9095", help="address and port for Alertmanager")
    parser.add_argument("--form", choices=("slack", "markdown"), default="markdown", help="how links are written")
    parser.add_argument("--lang", choices=("en", "ko"), default="en", help="language of the text")
    parser.add_argument("--min", choices=ORDER, default="weak", help="add nothing below this verdict")
    options = parser.parse_args()
    options.library_url = f"{options.library.rstrip('/')}/api/v1/match/alertmanager?lang={options.lang}"
    Handler.options = options
    host, _, port = options.listen.rpartition(":")
    with ThreadingHTTPServer((host, int(port)), Handler) as server:
        print(f"listening on {server.server_address[0]}:{server.server_address[1]}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
