# SPDX-License-Identifier: MIT
"""Linear programming by the simplex method: small problems, no library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

EPSILON = 1e-9
BLAND_AFTER = 50  # steps without progress, after which the rule changes, so that it always ends
MOST_STEPS = 20_000

Row = Mapping[int, float]


class NoSolution(Exception):
    pass


def minimise(costs: Sequence[float], rows: Sequence[tuple[Row, float]]) -> list[float]:
    """The x >= 0 that satisfies every row (its coefficients times x equal the number) and has the
    least cost."""
    chosen, rows = join_equal(len(costs), rows)
    joined = sorted(set(chosen))
    index = {one: i for i, one in enumerate(joined)}
    sums = [0.0] * len(joined)
    for one, cost in zip(chosen, costs):
        sums[index[one]] += cost
    numbered = [({index[i]: value for i, value in row.items()}, right) for row, right in rows]
    solution = simplex(sums, numbered)
    return [solution[index[one]] for one in chosen]


def join_equal(
    count: int, rows: Sequence[tuple[Row, float]]
) -> tuple[list[int], list[tuple[Row, float]]]:
    """Variables that a row makes equal become one: of each variable the one that stands for it,
    and the rows that are left."""
    stands = list(range(count))

    def find(i: int) -> int:
        while stands[i] != i:
            stands[i] = stands[stands[i]]
            i = stands[i]
        return i

    changed = True
    while changed:
        changed, left = False, []
        for row, right in rows:
            own: dict[int, float] = {}
            for i, value in row.items():
                own[find(i)] = own.get(find(i), 0.0) + value
            own = {i: value for i, value in own.items() if value}
            if right == 0.0 and len(own) == 2 and sum(own.values()) == 0.0:
                first, second = own
                stands[second] = first
                changed = True
            elif own or right:
                left.append((own, right))
        rows = left
    return [find(i) for i in range(count)], list(rows)


def simplex(costs: Sequence[float], rows: Sequence[tuple[Row, float]]) -> list[float]:
    count = len(costs)
    # A first solution: of each row a variable that no other row has, or else one that is made up,
    # at a cost beyond all others.
    penalty = 1e4 * (1 + max((abs(one) for one in costs), default=0.0))
    all_costs = [*costs, *[penalty] * len(rows)]
    times = Counter(i for row, _ in rows for i in row)
    table: list[dict[int, float]] = []
    values: list[float] = []
    basis: list[int] = []
    for number, (row, right) in enumerate(rows):
        sign = -1.0 if right < 0 else 1.0
        table.append({i: sign * value for i, value in row.items() if value})
        values.append(sign * right)
        own = (i for i, value in table[-1].items() if value == 1.0 and times[i] == 1)
        basis.append(next(own, count + number))
        table[-1][basis[-1]] = 1.0
    reduced = dict(enumerate(all_costs))
    for row, i in zip(table, basis):
        price = all_costs[i]
        for other, value in row.items():
            reduced[other] -= price * value
    for i in basis:
        reduced[i] = 0.0
    stuck = 0
    for _ in range(MOST_STEPS):
        candidates = [(value, i) for i, value in reduced.items() if value < -EPSILON and i < count]
        if not candidates:
            break
        entering = min(candidates)[1] if stuck < BLAND_AFTER else min(i for _, i in candidates)
        leaving = choose_row(table, values, basis, entering)
        if leaving is None:
            raise NoSolution("the cost has no bound")
        stuck = stuck + 1 if values[leaving] < EPSILON else 0
        pivot(table, values, reduced, leaving, entering)
        basis[leaving] = entering
    else:
        raise NoSolution("too many steps")
    if any(i >= count and value > 1e-6 for i, value in zip(basis, values)):
        raise NoSolution("the rows contradict each other")
    solution = [0.0] * count
    for i, value in zip(basis, values):
        if i < count:
            solution[i] = value
    return solution


def choose_row(
    table: list[dict[int, float]], values: list[float], basis: list[int], entering: int
) -> int | None:
    best, chosen = 0.0, None
    for number, row in enumerate(table):
        coefficient = row.get(entering, 0.0)
        if coefficient <= EPSILON:
            continue
        ratio = values[number] / coefficient
        if (
            chosen is None
            or ratio < best - EPSILON
            or (ratio < best + EPSILON and basis[number] < basis[chosen])
        ):
            best, chosen = min(best, ratio) if chosen is not None else ratio, number
    return chosen


def pivot(
    table: list[dict[int, float]],
    values: list[float],
    reduced: dict[int, float],
    leaving: int,
    entering: int,
) -> None:
    factor = table[leaving][entering]
    row = {i: value / factor for i, value in table[leaving].items()}
    table[leaving] = row
    values[leaving] /= factor
    for number, other in enumerate(table):
        if number != leaving and (share := other.get(entering, 0.0)):
            subtract(other, row, share)
            values[number] = max(0.0, values[number] - share * values[leaving])
    if share := reduced.get(entering, 0.0):
        subtract(reduced, row, share)


def subtract(target: dict[int, float], row: Row, share: float) -> None:
    for i, value in row.items():
        now = target.get(i, 0.0) - share * value
        if abs(now) > 1e-12:
            target[i] = now
        else:
            target.pop(i, None)
