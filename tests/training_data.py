"""Documents in which words speak of labels, for tests of whole trainings."""

import random

from boostext.corpus.documents import Document, Origin


def documents(count=120, labels=3, seed=0, several=False, words=10):
    """Texts of a few words, half of them common, half of the label's own; some labels are wrong."""
    draws = random.Random(seed)
    made = []
    for number in range(count):
        given = [number % labels]
        if several and draws.random() < 0.4:
            given.append((number + 1) % labels)
        own = [f"own{label}x{draws.randrange(12)}" for label in given for _ in range(words // 2)]
        common = [f"word{draws.randrange(30)}" for _ in range(words // 2)]
        text = " ".join(draws.sample(own + common, len(own + common)))
        if draws.random() < 0.1:
            given = [draws.randrange(labels)]
        names = tuple(dict.fromkeys(f"l{label}" for label in given))
        made.append(
            Document(str(number), {"text": text}, names, origin=Origin("drawn", number + 1))
        )
    return made
