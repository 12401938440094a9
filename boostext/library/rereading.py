"""Some documents of the data once more, with their texts: reports show them, training lets go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Document
from boostext.corpus.readers import ReadingSettings, read_documents
from boostext.corpus.sources import BadRecords
from boostext.errors import DataError
from boostext.reports.page.content import Read, nothing_read


def rereading(paths: Sequence[str], settings: ReadingSettings, corpus: Corpus) -> Read:
    """Documents of files by their places in the corpus; none of stdin and of pipes, which are
    gone. Files that have changed meanwhile give fewer, or none.
    """
    if any(path == "-" or Path(path).is_fifo() for path in paths):
        return nothing_read
    again = (tuple(paths), settings, BadRecords())
    return reading_again(lambda: read_documents(*again, labelled=False), corpus)


def reading_again(documents: Callable[[], Iterable[Document]], corpus: Corpus) -> Read:
    """Documents by their places in the corpus, out of a source that can be read once more.

    A document counts as the same where it stands at the same place with the same id.
    """

    def read(wanted: Collection[int]) -> Mapping[int, Document]:
        places = {(str(corpus.origins[i]), corpus.ids[i]): i for i in wanted}
        found: dict[int, Document] = {}
        if not places:
            return found
        try:
            for document in documents():
                place = places.get((str(document.origin), document.id))
                if place is not None:
                    found[place] = document
                    if len(found) == len(places):
                        break
        except DataError:
            return found
        return found

    return read
