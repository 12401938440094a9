"""Short ways to write a file and read it, for the tests of this room."""

from boostext.corpus.readers import read_documents
from boostext.corpus.sources import BadRecords
from boostext.settings import DataSettings


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return str(path)


def read(path, bad=None, labelled=True, **settings):
    return list(read_documents([path], DataSettings(**settings), bad, labelled))


def read_skipping(path, labelled=True, **settings):
    bad = BadRecords()
    return read(path, bad, labelled, skip_bad=True, **settings), bad
