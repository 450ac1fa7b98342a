# SPDX-License-Identifier: MIT
"""Linear programs with known solutions."""

import random
import unittest

from common.tools.machine_code.linear import NoSolution, minimise


class LinearTest(unittest.TestCase):
    def test_the_cheaper_of_two(self) -> None:
        # x + 2 y = 8: y alone costs 4 x 3, x alone 8 x 1.
        self.assertEqual(minimise([1.0, 3.0], [({0: 1.0, 1: 2.0}, 8.0)]), [8.0, 0.0])
        self.assertEqual(minimise([1.0, 1.5], [({0: 1.0, 1: 2.0}, 8.0)]), [0.0, 4.0])

    def test_a_corner_of_two_rows(self) -> None:
        # Most of 3 x + 2 y with x + y <= 4, x + 3 y <= 6 and x <= 3: at (3, 1).
        rows = [
            ({0: 1.0, 1: 1.0, 2: 1.0}, 4.0),
            ({0: 1.0, 1: 3.0, 3: 1.0}, 6.0),
            ({0: 1.0, 4: 1.0}, 3.0),
        ]
        x, y, *_ = minimise([-3.0, -2.0, 0.0, 0.0, 0.0], rows)
        self.assertAlmostEqual(x, 3.0)
        self.assertAlmostEqual(y, 1.0)

    def test_equal_variables_are_joined(self) -> None:
        rows = [({0: 1.0, 1: -1.0}, 0.0), ({1: 1.0, 2: -1.0}, 0.0), ({2: 2.0}, 10.0)]
        self.assertEqual(minimise([1.0, 1.0, 1.0], rows), [5.0, 5.0, 5.0])

    def test_the_median_is_nearest_to_all(self) -> None:
        # Distances of x from 1, 4 and 50, as what is missing and what is too much.
        rows = [
            ({0: 1.0, 1 + 2 * i: 1.0, 2 + 2 * i: -1.0}, n) for i, n in enumerate((1.0, 4.0, 50.0))
        ]
        self.assertAlmostEqual(minimise([0.0, *[1.0] * 6], rows)[0], 4.0)

    def test_refusals(self) -> None:
        with self.assertRaisesRegex(NoSolution, "contradict"):
            minimise([1.0], [({0: 1.0}, 2.0), ({0: 1.0}, 3.0)])
        with self.assertRaisesRegex(NoSolution, "no bound"):
            minimise([-1.0, 0.0], [({0: 1.0, 1: -1.0}, 2.0)])

    def test_solutions_satisfy_their_rows(self) -> None:
        numbers = random.Random(7)
        for _ in range(50):
            known = [float(numbers.randrange(5)) for _ in range(8)]
            rows = []
            for _ in range(5):
                row = {i: float(numbers.randrange(-3, 4)) for i in range(8)}
                rows.append((row, sum(value * known[i] for i, value in row.items())))
            costs = [float(numbers.randrange(1, 9)) for _ in range(8)]
            found = minimise(costs, rows)
            for row, right in rows:
                self.assertAlmostEqual(sum(value * found[i] for i, value in row.items()), right)
            self.assertTrue(all(one >= 0 for one in found))
            cost, most = (sum(map(float.__mul__, costs, one)) for one in (found, known))
            self.assertLessEqual(cost, most + 1e-6)


if __name__ == "__main__":
    unittest.main()
