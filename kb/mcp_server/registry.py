"""`server.json`: how the server presents itself to the MCP registry."""

import json
from urllib.parse import urlsplit

from kb import __version__
from kb.links import MCP, MCP_SEARCH_FETCH
from kb.parameters import JsonSchema
from kb.published import Published

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAME = "incident-library"
#: The registry takes a name only from who owns its domain; nobody can own this one, so nobody can publish it.
UNOWNED = "invalid.unpublished"
#: The registry refuses longer ones.
MAX_DESCRIPTION = 100
DESCRIPTION = "Search public post-incident reports (Kubernetes, AI infrastructure) and the checks they led to"
HOST = {"host": {"description": "Host of an Incident Library, for example localhost:8000", "isRequired": True}}


def server_json(published: Published) -> JsonSchema:
    """The document; where no public server is known, the address is the reader's to fill in."""
    document: JsonSchema = {
        "$schema": SCHEMA,
        "name": f"{_namespace(published.base_url)}/{NAME}",
        "title": "Incident Library",
        "description": DESCRIPTION,
        "version": __version__,
        "remotes": [_remote(published.base_url, path) for path in (MCP, MCP_SEARCH_FETCH)],
    }
    if published.base_url:
        document["websiteUrl"] = published.base_url
    if published.repository:
        host = urlsplit(published.repository).hostname or ""
        document["repository"] = {"url": published.repository, "source": host.removesuffix(".com")}
    if published.package:
        document["packages"] = [_package(published.package)]
    return document


def text(published: Published) -> str:
    return json.dumps(server_json(published), ensure_ascii=False, indent=2) + "\n"


def _namespace(base_url: str) -> str:
    """The host of the public server, backwards, which its owner can prove to the registry."""
    host = urlsplit(base_url).hostname or ""
    return ".".join(reversed(host.split("."))) or UNOWNED


def _remote(base_url: str, path: str) -> JsonSchema:
    if base_url:
        return {"type": "streamable-http", "url": base_url + path}
    return {"type": "streamable-http", "url": "http://{host}" + path, "variables": HOST}


def _package(name: str) -> JsonSchema:
    return {
        "registryType": "pypi",
        "identifier": name,
        "version": __version__,
        "runtimeHint": "uvx",
        "runtimeArguments": [{"type": "named", "name": "--from", "value": name}, {"type": "positional", "value": "kb"}],
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "transport": {"type": "stdio"},
    }
