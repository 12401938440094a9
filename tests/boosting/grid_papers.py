"""Any booster with any weak learner, slowly: plain loops over examples, from the papers' formulas.

A weak hypothesis is a list of blocks, each a list of examples; examples in none are silent. A view
gives what it is learned from: for each example (column, sign, weight) triples, where the columns
are labels, the columns of a code, or the one question of two colors.
"""

from collections import defaultdict
from itertools import product
from math import exp, log, log1p, sqrt

from tests.boosting.grown_papers import ALWAYS, BOTH, EPS, LEAST, TIE, blocks, covered

BALANCE = 1e-10


# Weights -------------------------------------------------------------------------------------


def exponential(base, Y, f):
    """SS99 Figure 2, unrolled."""
    return shares([[b * exp(-y * s) for b, y, s in rows(*row)] for row in zipped(base, Y, f)])


def logistic(base, Y, f):
    """CSS02 s4."""
    return shares([[b / (1 + exp(y * s)) for b, y, s in rows(*row)] for row in zipped(base, Y, f)])


def ranking(base, Y, f):
    """SS99 s9: d(i, l) sums v(i, l) v(i, l') over the labels l' of the other sign."""
    D = []
    for b, y, s in zipped(base, Y, f):
        v = [x * exp(-0.5 * sign * score) for x, sign, score in rows(b, y, s)]
        D.append(
            [
                0.5 * v[i] * sum(w for w, sign in zip(v, y, strict=True) if sign != y[i])
                for i in range(len(v))
            ]
        )
    return shares(D)


def wrong_labels(base, Y, f):
    """S97 Figure 3, unrolled."""
    own = [y.index(1) for y in Y]
    return shares(
        [
            [b[x] * exp(s[x] - s[own[i]]) for x in range(len(b))]
            for i, (b, s) in enumerate(zip(base, f, strict=True))
        ]
    )


def of_example(base, Y, f):
    """AdaBoost.M1: an example whose label got less than all votes is heavier."""
    own = [y.index(1) for y in Y]
    return shares(
        [
            [x * exp(sum(s) - 2 * s[own[i]]) for x in b]
            for i, (b, s) in enumerate(zip(base, f, strict=True))
        ]
    )


def arc(base, Y, f):
    own = [y.index(1) for y in Y]
    return shares(
        [
            [x * (1 + round(sum(s) - s[own[i]]) ** 4) for x in b]
            for i, (b, s) in enumerate(zip(base, f, strict=True))
        ]
    )


def constant(base, Y, f):
    return shares(base)


def zipped(base, Y, f):
    return zip(base, Y, f, strict=True)


def rows(b, y, s):
    return zip(b, y, s, strict=True)


def shares(D):
    total = sum(map(sum, D))
    return [[x / total for x in row] for row in D] if total else D


# Views ---------------------------------------------------------------------------------------


def by_sign(D, Y, colors):
    return [[(x, Y[i][x], D[i][x]) for x in range(len(Y[i]))] for i in range(len(Y))]


def by_class(D, Y, colors):
    return [[(y.index(1), 1, D[i][y.index(1)])] for i, y in enumerate(Y)]


def by_color(D, Y, colors):
    """Pairs of S97 that the colors tell apart; without pairs, the examples."""
    found = []
    for i, y in enumerate(Y):
        own = y.index(1)
        told = sum(D[i][x] for x in range(len(y)) if colors[x] != colors[own] or x == own)
        found.append([(0, colors[own], told)])
    return found


def weighed(view, documents):
    """{column: [W-, W+]}."""
    W = defaultdict(lambda: [0.0, 0.0])
    for i in documents:
        for column, sign, weight in view[i]:
            W[column][sign > 0] += weight
    return W


# Votes: hypothesis, view -> gain; hypothesis, view, e -> {column: vote} for each block ---------


def real_gain(parts, view):
    return sum((sqrt(p) - sqrt(n)) ** 2 for b in parts for n, p in weighed(view, b).values())


def real_votes(parts, view, e, k):
    return [
        {x: 0.5 * log(max(p + e, EPS) / max(n + e, EPS)) for x, (n, p) in weighed(view, b).items()}
        for b in parts
    ]


def margin_votes(parts, view, e, k):
    h = real_votes(parts, view, e, k)
    top = max((abs(v) for b in h for v in b.values()), default=0.0)
    mu = (
        sum(
            (W[1] - W[0]) * h[n][x]
            for n, b in enumerate(parts)
            for x, W in weighed(view, b).items()
        )
        / top
    )
    mu = min(max(mu, -1 + 1e-15), 1 - 1e-15)
    alpha = (log1p(mu) - log1p(-mu)) / (2 * top)
    return [{x: alpha * v for x, v in b.items()} for b in h]


def sides(parts, view):
    pairs = [pair for b in parts for pair in weighed(view, b).values()]
    return sum(map(max, pairs)), sum(map(min, pairs))


def discrete_gain(parts, view):
    right, wrong = sides(parts, view)
    return (sqrt(right) - sqrt(wrong)) ** 2


def signs(parts, view):
    return [
        {x: 1 if p - n > BALANCE * (p + n) else -1 for x, (n, p) in weighed(view, b).items()}
        for b in parts
    ]


def silent(parts, view):
    spoken = {i for b in parts for i in b}
    return sum(w for i, row in enumerate(view) if i not in spoken for _, _, w in row) > 0


def discrete_votes(parts, view, e, k):
    right, wrong = sides(parts, view)
    e = e if silent(parts, view) or wrong <= EPS else 0.0
    alpha = 0.5 * log(max(right + e, EPS) / max(wrong + e, EPS))
    return [{x: alpha * s for x, s in b.items()} for b in signs(parts, view)]


def hedged_votes(parts, view, e, k):
    """S97: a pair that the colors do not tell apart is half right."""
    right, wrong = sides(parts, view)
    eps = max((1 - right - wrong) / 2 + wrong, 0.0)
    e = e if eps <= EPS else 0.0
    alpha = 0.5 * log(max(1 - eps + e, EPS) / max(eps + e, EPS))
    return [{x: alpha * s for x, s in b.items()} for b in signs(parts, view)]


def color_votes(parts, view, e, k):
    return signs(parts, view)


def heaviest(parts, view, k):
    found = []
    for b in parts:
        W = weighed(view, b)
        weights = [W[x][1] for x in range(k)]
        found.append(weights.index(max(weights)))
    return found


def plurality(parts, view, k):
    right = sum(
        weighed(view, b)[x][1] for b, x in zip(parts, heaviest(parts, view, k), strict=True)
    )
    return right, max(sum(w for b in parts for _, w in weighed(view, b).values()) - right, 0.0)


def plurality_gain_of(k):
    def gain(parts, view):
        right, wrong = plurality(parts, view, k)
        return (1 if right > wrong else -1 if right < wrong else 0) * (
            sqrt(right) - sqrt(wrong)
        ) ** 2

    return gain


def plurality_votes(parts, view, e, k):
    right, wrong = plurality(parts, view, k)
    e = e if wrong <= EPS else 0.0
    alpha = 0.5 * log(max(right + e, EPS) / max(wrong + e, EPS))
    return [{x: alpha} for x in heaviest(parts, view, k)]


def majority_gain_of(k):
    return lambda parts, view: plurality(parts, view, k)[0]


def majority_votes(parts, view, e, k):
    return [{x: 1.0} for x in heaviest(parts, view, k)]


# Indexes: the weight of blocks that is not mixed ------------------------------------------------


def gini(w):
    c = max(len(w), 2)
    return (sum(w) - sum(x * x for x in w) / sum(w)) * c / (c - 1) if sum(w) > 0 else 0.0


def entropy(w):
    total = sum(w)
    return sum(-x * log(x / total) for x in w if x > 0) / log(max(len(w), 2))


def kearns_mansour(w):
    total = sum(w)
    return sum(sqrt(x * max(total - x, 0)) for x in w) / sqrt(max(len(w), 2) - 1)


INDEXES = {"gini": gini, "entropy": entropy, "kearns-mansour": kearns_mansour}


def purity(index, classes, k):
    mixed = INDEXES[index]

    def gain(parts, view):
        found = 0.0
        for b in parts:
            W = weighed(view, b)
            groups = [[W[x][1] for x in range(k)]] if classes else list(W.values())
            found += sum(sum(group) - mixed(group) for group in groups)
        return found

    return gain


# Learners: conditions, gain of blocks, gain of single blocks -> blocks, or None -----------------


def best_of(found):
    """The first within TIE of the greatest gain."""
    greatest = max((g for g, _ in found), default=None)
    return None if greatest is None else next(f for f in found if f[0] >= greatest - TIE)


def stump(made, view, gain, leaf, before, number, options):
    m = len(view)
    found = best_of(
        [(gain([blocks(made, (), j, m)[b] for b in BOTH], view), j) for j in range(len(made))]
    )
    if found is None:
        return None
    place = ((), found[1])
    return [blocks(made, *place, m)[b] for b in BOTH], [place]


def failing(made, body, m):
    failed = []
    for n, (j, b) in enumerate(body):
        failed += blocks(made, body[:n], j, m)["yes" if b == "no" else "no"]
    return failed


def rules(made, view, gain, leaf, before, number, options):
    m, body, value = len(view), (), 0.0
    while len(body) < options.get("max_literals", 4):
        found = best_of(
            [
                (
                    gain(
                        [failing(made, (*body, (j, b)), m), covered(made, (*body, (j, b)), m)], view
                    ),
                    (j, b),
                )
                for b, j in product(("yes", "no"), range(len(made)))
            ]
        )
        if found is None or found[0] <= value + LEAST:
            break
        value, body = found[0], (*body, found[1])
    return ([failing(made, body, m), covered(made, body, m)], []) if body else None


def tree(made, view, gain, leaf, before, number, options):
    m, depth = len(view), options.get("tree_depth", 3)

    def best(body):
        return best_of(
            [(leaf([blocks(made, body, j, m)[b] for b in BOTH], view), j) for j in range(len(made))]
        )

    def leaves(body, j):
        found = []
        for b in BOTH:
            deeper, inside = (*body, (j, b)), blocks(made, body, j, m)[b]
            better = best(deeper) if inside and len(deeper) < depth else None
            if better is not None and better[0] > leaf([inside], view) + LEAST:
                found += leaves(deeper, better[1])
            else:
                found.append(inside)
        return found

    root = best(())
    return (leaves((), root[1]), []) if root is not None and root[0] > LEAST else None


def adtree(made, view, gain, leaf, before, number, options):
    m = len(view)
    if number == 1 and options["own"]([list(range(m))], view) > LEAST:
        return [list(range(m))], [((), ALWAYS)]
    preconditions = {(): None}
    for body, j in before:
        if j != ALWAYS:
            preconditions.update({(*body, (j, b)): None for b in BOTH})
    found = []
    for body in preconditions:
        for j in range(len(made)):
            parts = blocks(made, body, j, m)
            found.append((gain([parts[b] for b in BOTH], view), (body, j)))
    greatest = max((g for g, _ in found), default=None)
    if greatest is None:
        return None
    body = next(body for g, (body, _) in found if g >= greatest - TIE)
    _, place = best_of([f for f in found if f[1][0] == body])
    return [blocks(made, *place, m)[b] for b in BOTH], [place]


def conjunction(made, view, gain, leaf, before, number, options):
    m, body, value = len(view), (), 0.0
    while len(body) < options.get("max_literals", 4):
        found = best_of(
            [
                (gain([covered(made, (*body, (j, b)), m)], view), (j, b))
                for b, j in product(("yes", "no"), range(len(made)))
                if b == "yes" or j >= options["numeric_from"]
            ]
        )
        if found is None or found[0] <= value + LEAST:
            break
        value, body = found[0], (*body, found[1])
    gain = options["own"]  # whatever conditions are chosen by
    own = gain([covered(made, body, m)], view) if body else -1.0
    always = gain([list(range(m))], view)
    if always > LEAST and (own <= LEAST or always > own + TIE):
        return [list(range(m))], []
    return ([covered(made, body, m)], []) if own > LEAST else None


LEARNERS = {
    "stump": stump,
    "rules": rules,
    "tree": tree,
    "adtree": adtree,
    "conjunction": conjunction,
}


# The loop ------------------------------------------------------------------------------------


def boost(row, learner, made, Y, base, e, rounds, options, colorings=None, index="z", drawn=None):
    """Scores after each round. row: loss, view, gain, votes, kind; drawn: number, weights ->
    weights of examples drawn, for bagging.
    """
    loss, view_of, gain, votes_of, kind = row
    k, options = len(Y[0]), {**options, "own": gain}
    f, felt, before, out = [[0.0] * k for _ in Y], [[0.0] * k for _ in Y], [], []
    of_k = 1 if view_of is by_color else k
    by_index = purity(index, kind == "classes", of_k) if index != "z" else None
    leaf = by_index or (
        gain if kind == "additive" else purity("kearns-mansour", kind == "classes", of_k)
    )
    for number in range(1, rounds + 1):
        D = loss(base, Y, felt)
        D = drawn(number, D) if drawn else D
        colors = colorings[number - 1] if colorings else None
        view = view_of(D, Y, colors)
        found = LEARNERS[learner](made, view, by_index or gain, leaf, before, number, options)
        if found is None or gain(found[0], view) <= LEAST:
            break
        parts, places = found
        before += places
        for b, votes in zip(parts, votes_of(parts, view, e, of_k), strict=True):
            for i, (x, vote) in product(b, votes.items()):
                if colors is None:
                    f[i][x] += vote
                else:
                    for label in range(k):
                        f[i][label] += max(vote * colors[label], 0.0)
        felt = felt_by_margins(felt, parts, view, e, of_k, Y) if kind == "margin" else f
        out.append([list(row) for row in f])
    return out


def felt_by_margins(felt, parts, view, e, k, Y):
    """NN07 Eq. 6: weights times 1 - mu Y h / h*, and so the exponents that they are made of."""
    h = real_votes(parts, view, e, k)
    top = max((abs(v) for b in h for v in b.values()), default=0.0)
    mu = (
        sum(
            (W[1] - W[0]) * h[n][x]
            for n, b in enumerate(parts)
            for x, W in weighed(view, b).items()
        )
        / top
    )
    if 1 - abs(mu) <= 2e-15:
        return felt
    felt = [list(row) for row in felt]
    for b, votes in zip(parts, h, strict=True):
        for i, (x, v) in product(b, votes.items()):
            felt[i][x] -= Y[i][x] * log1p(-mu * Y[i][x] * v / top)
    return felt
