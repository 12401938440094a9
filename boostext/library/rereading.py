"""Reading documents again, because reports show texts, which training does not keep."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from boostext.corpus.corpus import Corpus
from boostext.corpus.documents import Document
from boostext.errors import DataError
from boostext.reports.page.content import Read


def reading_again(documents: Callable[[], Iterable[Document]], corpus: Corpus) -> Read:
    """Return a function that reads documents by their indices from a source.

    A document is recognized by its position and its id.
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
