"""The growers again, slowly, in plain Python loops straight from the papers.

Conditions are (name, [block of each example]) as papers.conditions makes them; a body is a tuple
of (number of condition, block). A rule is (precondition, condition, {block: votes by label}), a
round a list of rules and its Z. ALWAYS is the number of the condition that all examples meet.
"""

from itertools import pairwise, product
from math import exp, log, sqrt

from hypothesis import assume

ALWAYS = -1
BOTH = ("no", "yes")
EPS, TIE, LEAST = 1e-15, 1e-12, 1e-11


def holds(made, body, i):
    return all(made[j][1][i] == block for j, block in body)


def covered(made, body, m):
    return [i for i in range(m) if holds(made, body, i)]


def sums(documents, Y, D):
    """[(W+, W-)] by label."""
    k = len(Y[0])
    return [
        tuple(sum(D[i][label] for i in documents if Y[i][label] == sign) for sign in (1, -1))
        for label in range(k)
    ]


def gain(documents, Y, D):
    """sum over labels of (sqrt W+ - sqrt W-)^2: what a block of real votes takes off Z = 1."""
    return sum((sqrt(pos) - sqrt(neg)) ** 2 for pos, neg in sums(documents, Y, D))


def vote(documents, Y, D, e, total=1.0):
    return [
        0.5 * log(max(pos / total + e, EPS) / max(neg / total + e, EPS))
        for pos, neg in sums(documents, Y, D)
    ]


def blocks(made, body, j, m):
    """Documents of each block of a condition, under a precondition."""
    inside = covered(made, body, m)
    if j == ALWAYS:
        return {"no": [], "yes": inside, "unknown": []}
    return {b: [i for i in inside if made[j][1][i] == b] for b in ("unknown", "no", "yes")}


def moved(rules, made, Y, D):
    """D after the rules of a round, and Z."""
    m, k = len(Y), len(Y[0])
    h = [[0.0] * k for _ in range(m)]
    add(rules, made, h)
    D = [[D[i][x] * exp(-Y[i][x] * h[i][x]) for x in range(k)] for i in range(m)]
    z = sum(map(sum, D))
    return [[d / z for d in row] for row in D], z


def add(rules, made, scores):
    """Add the votes of the rules of a round to the scores."""
    m, k = len(scores), len(scores[0])
    for body, j, votes in rules:
        for b, documents in blocks(made, body, j, m).items():
            for i, label in product(documents, range(k)):
                scores[i][label] += votes.get(b, [0.0] * k)[label]


def boost(grow, made, Y, D, rounds):
    """Rounds of a grower (made, Y, D, bodies so far, number) -> rules, or none."""
    out, before = [], []
    for number in range(1, rounds + 1):
        rules = grow(made, Y, D, before, number)
        if not rules:
            break
        D, z = moved(rules, made, Y, D)
        before += [(body, j) for body, j, _ in rules]
        out.append((rules, z))
    return out


def always(Y, D, e):
    everything = range(len(Y))
    return gain(everything, Y, D), ((), ALWAYS, {"yes": vote(everything, Y, D, e)})


def alternating_tree(e, depth=0):
    """SF12 Algorithm 9.4: least Z = W(p fails) + 2 sum sqrt(W+ W-), over all p and conditions."""

    def grow(made, Y, D, before, number):
        root, rule = always(Y, D, e)
        if number == 1 and root > LEAST:
            return [rule]
        preconditions = {(): None}
        for body, j in before:
            if j != ALWAYS:
                preconditions.update({(*body, (j, b)): None for b in BOTH})
        best = []
        for body in preconditions:
            if depth and len(body) >= depth:
                continue
            for j in range(len(made)):
                parts = blocks(made, body, j, len(Y))
                best.append((sum(gain(parts[b], Y, D) for b in BOTH), body, j))
        return _first(best, made, Y, D, e)

    return grow


def _first(best, made, Y, D, e):
    greatest = max((g for g, _, _ in best), default=0.0)
    if greatest <= LEAST:
        return []
    body = next(body for g, body, _ in best if g >= greatest - TIE)
    own = [(g, j) for g, other, j in best if other == body]
    j = next(j for g, j in own if g >= max(g for g, _ in own) - TIE)
    parts = blocks(made, body, j, len(Y))
    return [(body, j, {b: vote(parts[b], Y, D, e) for b in BOTH})]


def decision_tree(e, depth):
    """SS99 s4.1: split each leaf by the condition of least 2 sum sqrt(W+ W-)."""

    def best(made, Y, D, body):
        gains = []
        for j in range(len(made)):
            parts = blocks(made, body, j, len(Y))
            gains.append(sum(gain(parts[b], Y, D) for b in BOTH))
        greatest = max(gains, default=0.0)
        return next((j for j, g in enumerate(gains) if g >= greatest - TIE), None), greatest

    def split(made, Y, D, body, j):
        parts = blocks(made, body, j, len(Y))
        votes, below = {}, []
        for b in BOTH:
            deeper = (*body, (j, b))
            if parts[b] and len(deeper) < depth:
                found, greatest = best(made, Y, D, deeper)
                if greatest > gain(parts[b], Y, D) + LEAST:
                    below.append((deeper, found))
                    continue
            votes[b] = vote(parts[b], Y, D, e)
        rules = [(body, j, votes)] if votes else []
        for deeper, found in below:
            rules += split(made, Y, D, deeper, found)
        return rules

    def grow(made, Y, D, before, number):
        j, greatest = best(made, Y, D, ())
        return split(made, Y, D, (), j) if greatest > LEAST else []

    return grow


def slipper(e, most, numeric_from, halves=None, default=True):
    """Cohen & Singer 1999, with labels summed over; halves: number -> growing, pruning examples."""

    def grow(made, Y, D, before, number):
        m = len(Y)
        growing, pruning = halves(number, D) if halves else (range(m), [])
        body, value = (), 0.0
        while len(body) < most:
            found = []
            for b in ("yes", "no"):
                for j in range(len(made)):
                    if b == "yes" or j >= numeric_from:
                        inside = [i for i in covered(made, (*body, (j, b)), m) if i in growing]
                        found.append((gain(inside, Y, D), j, b))
            greatest = max((g for g, _, _ in found), default=0.0)
            if greatest <= value + LEAST:
                break
            value, j, b = next(f for f in found if f[0] >= greatest - TIE)
            body = (*body, (j, b))
        if len(body) > 1 and len(pruning):
            body = _cut(made, Y, D, body, growing, pruning, e)
        own = gain(covered(made, body, m), Y, D) if body else 0.0
        other, rule = always(Y, D, e)
        if default and other > LEAST and (not body or other > own + TIE):
            return [rule]
        if own <= LEAST:
            return []
        votes = {"yes": vote(covered(made, body, m), Y, D, e)}
        (j, b), front = body[-1], body[:-1]
        return [(front, j, votes) if b == "yes" else (body, ALWAYS, votes)]

    return grow


def _cut(made, Y, D, body, growing, pruning, e):
    """The beginning of the body of least Z on the pruning part, voting as the growing part says."""
    total = sum(sum(D[i]) for i in growing)
    losses = []
    for length in range(1, len(body) + 1):
        inside = covered(made, body[:length], len(Y))
        c = vote([i for i in inside if i in growing], Y, D, e, total)
        loss = 0.0
        for i, label in product(pruning, range(len(Y[0]))):
            h = c[label] if i in inside else 0.0
            loss += D[i][label] * exp(-Y[i][label] * h)
        losses.append(loss)
    return body[: next(n for n, x in enumerate(losses, 1) if x <= min(losses) + TIE)]


def gain_of_one_size(parts, Y, D):
    """(sqrt R - sqrt E)^2 over all the blocks together, SS99 Eqs. 13-14."""
    pairs = [pair for documents in parts for pair in sums(documents, Y, D)]
    return (sqrt(sum(map(max, pairs))) - sqrt(sum(map(min, pairs)))) ** 2


def votes_of_one_size(parts, Y, D, e):
    """alpha sign(W+ - W-); smoothed where nothing is wrong or some examples are in no block."""
    pairs = [sums(documents, Y, D) for documents in parts]
    right = sum(max(pair) for part in pairs for pair in part)
    wrong = sum(min(pair) for part in pairs for pair in part)
    silent = len(Y) > sum(map(len, parts))
    e = e if silent or wrong <= EPS else 0.0
    alpha = 0.5 * log(max(right + e, EPS) / max(wrong + e, EPS))
    return [[alpha if p - n > 1e-10 * (p + n) else -alpha for p, n in part] for part in pairs]


def gain_of_all(parts, Y, D):
    return sum(gain(documents, Y, D) for documents in parts)


def votes_of_all(parts, Y, D, e):
    return [vote(documents, Y, D, e) for documents in parts]


def decision_rule(e, most, gain_of=gain_of_all, votes_of=votes_of_all):
    """Freund & Schapire 1996, FindDecRule: a literal must lower Z of {fires, does not}."""

    def grow(made, Y, D, before, number):
        m, body, value = len(Y), (), 0.0
        while len(body) < most:
            found = []
            for b in ("yes", "no"):
                for j in range(len(made)):
                    longer = (*body, (j, b))
                    fires, fails = covered(made, longer, m), _failed(made, longer, m)
                    found.append((gain_of((fires, fails), Y, D), j, b))
            greatest = max((g for g, _, _ in found), default=0.0)
            if greatest <= value + LEAST:
                break
            value, j, b = next(f for f in found if f[0] >= greatest - TIE)
            body = (*body, (j, b))
        parts = covered(made, body, m), _failed(made, body, m)
        return _listed(body, *votes_of(parts, Y, D, e)) if body else []

    return grow


def _failed(made, body, m):
    """Where some test before an unknown one comes out otherwise."""
    failed = []
    for n, (j, b) in enumerate(body):
        failed += blocks(made, body[:n], j, m)["yes" if b == "no" else "no"]
    return failed


def _listed(body, here, elsewhere):
    other = {"yes": "no", "no": "yes"}
    if len(body) == 1:
        return [((), body[0][0], {body[0][1]: here, other[body[0][1]]: elsewhere})]
    rules = [(body[:n], j, {other[b]: elsewhere}) for n, (j, b) in enumerate(body)]
    return [*rules, (body, ALWAYS, {"yes": here})]


def committee(e, size):
    """Sebastiani, Sperduti & Valdambrini 2000: the mean of the best rules."""

    def grow(made, Y, D, before, number):
        gains = []
        for j in range(len(made)):
            parts = blocks(made, (), j, len(Y))
            gains.append(sum(gain(parts[b], Y, D) for b in BOTH))
        chosen = []
        while len(chosen) < size:
            rest = {j: g for j, g in enumerate(gains) if j not in chosen and g > LEAST}
            if not rest:
                break
            chosen.append(next(j for j, g in rest.items() if g >= max(rest.values()) - TIE))
        rules = []
        for j in chosen:
            parts = blocks(made, (), j, len(Y))
            votes = {b: [v / len(chosen) for v in vote(parts[b], Y, D, e)] for b in BOTH}
            rules.append(((), j, votes))
        return rules

    return grow


def parallel(e, updates, shares):
    """CSS02 Figure 1: updates of all votes at once, on documents divided by their lengths.

    shares: the shares of the documents in the weights of round 1.
    """

    def grow(made, Y, D, before, number):
        m, k = len(Y), len(Y[0])

        def weighed(f):
            against = [[min(-Y[i][x] * f[i][x], 600.0) for x in range(k)] for i in range(m)]
            return _normalized([[D[i][x] * exp(against[i][x]) for x in range(k)] for i in range(m)])

        start = vote(range(m), Y, D, min(e, 1 / (m * k)))
        numbers = range(len(made))
        votes, mean = _updated(made, numbers, Y, weighed, [list(start)] * m, e, updates, shares)
        order = _by_gain(made, numbers, Y, D)
        return _shrunk(made, Y, D, votes, order, 2 / mean, [((), ALWAYS, {"yes": start})])

    return grow


def last_round(made, Y, D0, D, f, updates, shares, count, counted=None):
    """The rules of a last round: the same updates, of logistic loss from the scores 2f.

    D0, D: the weights of scores of 0 and of this round. count: the conditions that are not
    thresholds. counted: the number of documents, if it is not that of the rows.
    """
    m, k = len(Y), len(Y[0])
    odds = [[2 * value for value in row] for row in f]

    pairs = list(product(range(m), range(k)))

    def weighed(f):
        W = [[0.0] * k for _ in range(m)]
        for i, x in pairs:
            W[i][x] = D0[i][x] / (1 + exp(min(Y[i][x] * f[i][x], 700)))
        # ln(1 + exp(-a)) is -a if that is large
        against = [-Y[i][x] * f[i][x] for i, x in pairs]
        losses = [a if a > 700 else log(1 + exp(a)) for a in against]
        return _normalized(W)[0], sum(D0[i][x] * a for (i, x), a in zip(pairs, losses, strict=True))

    numbers = range(count)
    e = 10 / (counted or m)
    votes, mean = _updated(made, numbers, Y, weighed, odds, e, updates, shares)
    order = _by_gain(made, numbers, Y, weighed(odds)[0])
    return _shrunk(made, Y, D, votes, order, 0.5 / mean, [])


def _normalized(W):
    total = sum(map(sum, W))
    return [[w / total for w in row] for row in W], total


def _updated(made, numbers, Y, weighed, f, e, updates, shares):
    """The votes of each condition after all updates, and the mean length of the documents."""
    m, k = len(Y), len(Y[0])
    pairs = list(product(range(m), range(k)))
    held = [[j for j in numbers if made[j][1][i] == "yes"] for i in range(m)]
    lengths = [len(row) or 1 for row in held]
    mean = sum(length * share for length, share in zip(lengths, shares, strict=True))
    votes = {j: [0.0] * k for j in numbers}
    W, loss = weighed(f)
    enough, factor = loss * 1e-4, 1.0
    for _ in range(updates):
        steps = {}
        for j in numbers:
            sides = {1: [0.0] * k, -1: [0.0] * k}
            for i, x in pairs:
                if j in held[i]:
                    sides[Y[i][x]][x] += W[i][x] / lengths[i]
            steps[j] = [
                0.5 * log((sides[1][x] + e / mean) / (sides[-1][x] + e / mean)) for x in range(k)
            ]
        change = [
            [sum(steps[j][x] for j in held[i]) / lengths[i] for x in range(k)] for i in range(m)
        ]

        def at(size, f=f, change=change):
            return [[f[i][x] + size * change[i][x] for x in range(k)] for i in range(m)]

        last = loss
        W, loss = weighed(at(factor))
        for times in (2, 0.5):
            while loss > enough and factor * times >= 1:
                tried = weighed(at(factor * times))
                if not log(tried[1]) < log(loss) - 1e-9:
                    break
                factor, (W, loss) = factor * times, tried
        f = at(factor)
        for j, x in product(numbers, range(k)):
            votes[j][x] += factor * steps[j][x]
        if loss <= enough or not log(loss) < log(last) - 1e-9:
            break
    return votes, mean


def _by_gain(made, numbers, Y, D):
    def documents(j):
        return [i for i in range(len(Y)) if made[j][1][i] == "yes"]

    gains = {j: gain(documents(j), Y, D) for j in numbers}
    ranked = sorted(gains.values())
    # rounding decides the order of gains that are neither equal nor clearly different
    assume(not any(1e-13 < b - a < 1e-9 for a, b in pairwise(ranked)))
    return sorted(numbers, key=lambda j: -round(gains[j], 11))


def _shrunk(made, Y, D, votes, order, size, first):
    """The rules with votes of this size, or of the first half of it that lowers the loss."""
    least = size / 2**15
    while True:
        rules = [*first, *(((), j, {"yes": [size * v for v in votes[j]]}) for j in order)]
        if moved(rules, made, Y, D)[1] < 1 - LEAST:
            return rules
        if (size := size / 2) < least:
            return []
