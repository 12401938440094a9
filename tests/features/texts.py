"""Texts that find mistakes in tokenizers: many scripts, marks, joiners, blanks, and nothing."""

from hypothesis import strategies as st

from boostext.corpus.documents import Document

# few letters, so that drawn texts repeat words; one of each kind that is treated apart
CHARACTERS = [
    *"aabB c \n\t.,'-_1",
    "é",
    "e\u0301",
    "\u0301",
    "\u0316",  # composed, decomposed, marks alone
    "İ",
    "ß",
    "Σ",
    "ς",
    "ǅ",
    "K",  # case: grows, stays, by place, title case, Kelvin sign
    "ह",
    "ि",
    "न्",
    "త",
    "తె",  # letters with marks that follow
    "日",
    "本",
    "カ",
    "\u3099",
    "ー",
    "ภ",
    "า",
    "ี้",
    "ក",
    "\u17d2",
    "រ",
    "မ",
    "\u1039",
    "한",
    "\u1112",
    "\u1161",
    "\u11ab",  # a syllable, and the jamo that make it
    "\u200d",
    "\u200c",
    "\u200f",
    "\xad",
    "\u2060",  # joiners, soft hyphen
    "🙂",
    "👩\u200d👧",
    "\ufe0f",
    "²",
    "½",
    "Ⅷ",
    "٣",
    "\0",
    "\x1c",
    "\x85",
    "\u3000",
    "\xa0",
    "\u2028",
    "\ufeff",
    "\ue000",
    "\U000e0041",
    "\ud800",
    "\udfff",
    "\u0378",
    "\U0001fad8",
    "\U0001dd00",
]

texts = st.lists(st.sampled_from(CHARACTERS), max_size=30).map("".join)
any_texts = texts | st.text(max_size=20) | st.text("ab ", max_size=40)


def documents(texts):
    return [Document(str(i), {"text": text}) for i, text in enumerate(texts)]
