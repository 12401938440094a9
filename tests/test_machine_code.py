"""Kernels compute what Python computes, and what the translator does not know is refused."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostext.compiled import compiled, notice

pytestmark = pytest.mark.skipif(bool(notice()), reason=notice())

TABLE = (3, 1, 2)
WEIGHTS = (0.5, 0.25)
small = st.integers(-50, 50)


def whole_numbers(a: int, b: int) -> int:
    total, sign = 0, -1 if a < b else 1
    for step in range(10, -10, -3):
        if step == a or (step > b and not step < 2):
            continue
        if total > 1000:
            break
        total += sign * step * a - (b // 3) * (a % 7) + (a << 2) - (b >> 1) + (a & b | 5 ^ a)
    for one in TABLE:
        total += one * TABLE[abs(b) % len(TABLE)]
    while total > 100 and total % 2 == 0:
        total //= 2
    return max(min(total, a, b), -b) if a in (3, 4) else total


@given(small, small)
@settings(max_examples=40)
def test_whole_numbers(a, b):
    assert compiled(whole_numbers)(a, b) == whole_numbers(a, b)


def fractions(x: float, n: int) -> float:
    total = 0.0
    if -1 < x <= 30:
        total = np.exp(x) + np.log1p(abs(x)) - np.sqrt(x * x) / 3
    total += np.ceil(x) ** 2 - np.maximum(x, n) + np.logaddexp(0.0, x) - -x
    return total * WEIGHTS[1] + np.float64(np.float32(x)) + np.int64(x) / 7 + (x if n > 2 else n)


@given(st.floats(-40, 40), small)
@settings(max_examples=40)
def test_fractions(x, n):
    assert compiled(fractions)(x, n) == float(fractions(x, n))


def hashed(key: int) -> int:
    x = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(31))) | np.uint64(1) << np.uint64(60)
    return np.int64(x >> np.uint64(7))


@given(st.integers(0, 2**62))
@settings(max_examples=20)
def test_unsigned_numbers_wrap_around(key):
    with np.errstate(over="ignore"):
        assert compiled(hashed)(key) == hashed(key)


def arrays(numbers, small, flags, out):
    table = out[1:-1]
    m, k = numbers.shape
    for i in range(m):
        row = numbers[i]
        for j in range(k):
            flags[j] = row[j] > 1
            small[-1] -= np.uint32(row[j])
            table[j], out[0] = table[j] + small[0] * row[j], out[0] + 1
    for flag in flags:
        if flag:
            out[-1] += 1
    return len(table), k


def test_arrays():
    kinds = "int32[:, ::1], uint32[::1], boolean[::1], float64[::1]"

    def made(function):
        numbers = np.arange(6, dtype=np.int32).reshape(2, 3)
        small, flags, out = np.array([2, 1], np.uint32), np.zeros(3, bool), np.zeros(5)
        with np.errstate(over="ignore"):
            result = function(numbers, small, flags, out)
        return [result, small.tolist(), flags.tolist(), out.tolist()]

    assert made(compiled(arrays, kinds)) == made(arrays)
    assert made(arrays)[1] == [2, 2**32 + 1 - 15]


def widened(n: int) -> float:
    """The type of `best` is known only after its second assignment."""
    best = 0
    for i in range(n):
        best = best + 0.5 * i
    return best


def test_a_name_gets_the_type_of_all_its_values():
    assert compiled(widened)(5) == 5.0


REFUSED = {
    "a list": ("return [n][0]", r"`\[n\]`"),
    "a keyword": ("return int(x=n)", "names its arguments"),
    "another function": ("return sorted(n)", "`sorted`"),
    "an unknown name": ("return missing + n", "`missing`"),
    "a text": ("return 'n'", "str"),
    "a number as a condition": ("return 1 if n else 2", "condition of type int64"),
    "a cube": ("return n**3", "power of 2"),
    "signed with unsigned": ("return np.uint64(n) + n", "convert one"),
    "a number or a truth value": ("return n if n > 1 else n > 0", "truth value"),
    "with": ("with n:\n        pass", "`with n:"),
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_kernels_cannot_do_is_refused_with_the_line(body, reason, tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(f"import numpy as np\n\ndef one(n):\n    {body}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("kernels", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(TypeError, match=f"kernels.py:4: .*{reason}"):
        compiled(module.one, "int64")
