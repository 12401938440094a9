"""Few texts are counted plainly, many by kernels, and nobody can tell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext import compiled
from boostext.features import counting
from boostext.features.compiled_terms import CompiledCounter
from boostext.features.conditions import Occurs
from boostext.features.extract import TermCounter
from boostext.features.terms import PlainCounter
from boostext.features.token_numbers import numbering
from boostext.settings import TextSettings
from boostext.training.validation import TermFinder

TEXTS = [f"word{i % 7} is w{i} or é{i % 3}" for i in range(200)]


def counted():
    counter = TermCounter(TextSettings(ngrams=(1, 2)))
    for text in TEXTS:
        counter.add(text)
    terms = counter.finish(2)
    order = np.argsort(terms.order)
    return [(terms.spell(t), terms.conditions[t].tolist()) for t in order.tolist()]


def test_small_and_large_corpora_are_counted_alike(monkeypatch):
    monkeypatch.setattr(compiled, "loaded", lambda: False)
    plain = counted()
    monkeypatch.setattr("boostext.features.extract.SMALL", 1000)  # kernels from the middle on
    assert counted() == plain
    monkeypatch.setattr(compiled, "notice", lambda: "no numba")  # and without numba all the same
    assert counted() == plain


@pytest.mark.parametrize("kernels", [False, True])
@settings(max_examples=25)
@given(
    st.sampled_from([(1,), (1, 2, 3, 5), (2, 4)]),
    st.lists(st.lists(st.sampled_from("abc"), max_size=8), min_size=1, max_size=5),
)
def test_the_documents_of_each_count_are_found(kernels, counts, texts):
    """Also where there is no list of them, as it is empty or equal to that of a lower count."""
    if kernels and compiled.notice():
        pytest.skip(compiled.notice())
    text_settings = TextSettings(counts=counts)
    counter = CompiledCounter(text_settings) if kernels else PlainCounter(text_settings)
    for text in texts:
        counter.add(" ".join(text))
    finder = TermFinder(counter.finish(1), counts)
    for word in "abc":
        for count in counts:
            expected = [d for d, text in enumerate(texts) if text.count(word) >= count]
            assert finder.documents(Occurs("text", (word,), count)).tolist() == expected


@pytest.mark.parametrize("in_memory", [0, 40, 10**6])
def test_a_spool_gives_back_what_went_in(in_memory, monkeypatch):
    monkeypatch.setattr(counting, "IN_MEMORY", in_memory)
    kept = counting.Spool()
    parts = [np.arange(n, dtype=np.int32) for n in (5, 0, 20, 1)]
    for part in parts:
        kept.append(part)
    assert kept.size == 26
    np.testing.assert_array_equal(kept.finish(), np.concatenate(parts))
    assert len(kept.finish()) == 0


def test_long_scratch_arrays_lie_in_a_file(monkeypatch):
    monkeypatch.setattr(counting, "IN_MEMORY", 40)
    assert isinstance(counting.scratch(1000).base, np.memmap)
    assert counting.scratch(10).base is None


@pytest.mark.parametrize("options", [{}, {"token_pattern": "[a-z]+"}, {"analyzer": "char"}])
def test_what_only_further_tokens_need_is_freed_when_all_are_numbered(options):
    """The words remain, as terms are spelled when they are needed."""
    if not options and compiled.notice():
        pytest.skip(compiled.notice())
    numbers = numbering(TextSettings(**options))
    found, _ = numbers.prepare(["ab cd ab ef"])()
    before = [numbers.token(n) for n in range(numbers.known())]
    table = sum(part.nbytes for part in vars(numbers).values() if isinstance(part, np.ndarray))
    numbers.finish()
    assert [numbers.token(n) for n in range(numbers.known())] == before
    assert len(before) == max(found) + 1
    left = sum(part.nbytes for part in vars(numbers).values() if isinstance(part, np.ndarray))
    assert left < table or options.get("token_pattern")
