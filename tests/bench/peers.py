"""What the library is compared with, over the same texts: SQLite FTS5, Tantivy, plain BM25, Datasette."""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from math import log
from pathlib import Path
from urllib.parse import urlencode

import tantivy

from kb import corpus, packing
from kb.settings import Settings
from kb.text_index import FIELDS, TextDocument

LIMIT = 5
_WORD = re.compile(r"\w+")


def documents(made: Settings) -> list[TextDocument]:
    """What the library indexes: the same fields with the same text."""
    files = corpus.read(made.data_roots)
    return [packing.document(case, files) for case in files.served]


def write_sqlite(path: Path, texts: Sequence[TextDocument]) -> None:
    """A table `cases` and an FTS5 index over it with the Porter tokenizer, as Datasette wants them."""
    names = ", ".join(FIELDS)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE cases (id TEXT PRIMARY KEY, {names})")
        marks = ", ".join("?" * (1 + len(FIELDS)))
        connection.executemany(
            f"INSERT INTO cases VALUES ({marks})", ([text.id, *(text.fields[n] for n in FIELDS)] for text in texts)
        )
        connection.execute(
            f"CREATE VIRTUAL TABLE cases_fts USING fts5({names}, content=cases, tokenize='porter unicode61')"
        )
        connection.execute("INSERT INTO cases_fts(cases_fts) VALUES ('rebuild')")


def expression(text: str) -> str:
    """Any of the words, quoted: what an FTS5 query has to look like to take a plain sentence."""
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(text.lower())))


def datasette_path(text: str) -> str:
    """The same question to Datasette over `write_sqlite`'s file, named `peer.db`."""
    asked = {"_search": expression(text), "_searchmode": "raw", "_size": LIMIT, "_shape": "array"}
    return "/peer/cases.json?" + urlencode(asked)


class Fts5:
    """Ranked search in one process: ids, titles and a snippet of the best cases."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)

    def search(self, text: str, limit: int = LIMIT) -> list[tuple[str, ...]]:
        return self._connection.execute(
            "SELECT c.id, c.title, snippet(cases_fts, 4, '', '', '…', 30) FROM cases_fts "
            "JOIN cases c ON c.rowid = cases_fts.rowid WHERE cases_fts MATCH ? ORDER BY rank LIMIT ?",
            (expression(text), limit),
        ).fetchall()

    def close(self) -> None:
        self._connection.close()


class Tantivy:
    """An index in memory with English stemming: ids, titles and a snippet of the best cases."""

    def __init__(self, texts: Sequence[TextDocument]) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        for name in FIELDS:
            builder.add_text_field(name, stored=True, tokenizer_name="en_stem")
        self._index = tantivy.Index(builder.build())
        writer = self._index.writer()
        for text in texts:
            writer.add_document(tantivy.Document(id=text.id, **{name: text.fields[name] for name in FIELDS}))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def search(self, text: str, limit: int = LIMIT) -> list[tuple[str, str, str]]:
        searcher, names = self._index.searcher(), list(FIELDS)
        query, _ = self._index.parse_query_lenient(expression(text), names)
        snippets = tantivy.SnippetGenerator.create(searcher, query, self._index.schema, names[0])
        hits = [searcher.doc(address) for _, address in searcher.search(query, limit).hits]
        return [
            (str(hit.get_first("id")), str(hit.get_first("title")), snippets.snippet_from_doc(hit).to_html())
            for hit in hits
        ]


class Bm25:
    """The formula over lower-cased words in dictionaries; no stemming, no fields, no reasons."""

    K1, B = 1.2, 0.75

    def __init__(self, texts: Sequence[TextDocument]) -> None:
        self._postings: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._length: dict[str, int] = {}
        for text in texts:
            words = Counter(_WORD.findall("\n".join(text.fields.values()).lower()))
            self._length[text.id] = words.total()
            for word, count in words.items():
                self._postings[word].append((text.id, count))
        self._mean = sum(self._length.values()) / len(self._length)

    def search(self, text: str, limit: int = LIMIT) -> list[tuple[str, float]]:
        scores: dict[str, float] = defaultdict(float)
        for word in set(_WORD.findall(text.lower())):
            held = self._postings.get(word, [])
            idf = log(1 + (len(self._length) - len(held) + 0.5) / (len(held) + 0.5))
            for case_id, count in held:
                norm = self.K1 * (1 - self.B + self.B * self._length[case_id] / self._mean)
                scores[case_id] += idf * count * (self.K1 + 1) / (count + norm)
        return sorted(scores.items(), key=lambda pair: -pair[1])[:limit]
