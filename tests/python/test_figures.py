# SPDX-License-Identifier: Apache-2.0
"""Figures show the numbers of the results."""

import unittest

import numpy as np

import gttf
from program import CLD, ITS2, ROOT

try:
    from matplotlib import pyplot
except ImportError:
    pyplot = None


@unittest.skipUnless(pyplot, "needs matplotlib")
class Figures(unittest.TestCase):
    def setUp(self):
        self.ax = pyplot.figure().gca()
        self.addCleanup(pyplot.close, "all")

    def labels(self, ax):
        return [text.get_text() for text in ax.get_legend().get_texts()]

    def test_curves_over_momentum(self):
        table = gttf.scan(ITS2, p=[0.5, 5, 50], eta=[0, 1])
        ax = table.plot()  # on the current axes
        self.assertIs(ax, self.ax)
        self.assertEqual((ax.get_xscale(), ax.get_yscale()), ("log", "log"))
        self.assertEqual(ax.get_ylabel(), "sigma(pt) [%]")
        self.assertEqual(ax.get_xlabel(), "p [GeV]")
        self.assertEqual(self.labels(ax), ["eta = 0", "eta = 1"])
        second = table["eta"] == 1
        np.testing.assert_array_equal(
            ax.lines[1].get_ydata(), 100 * table["sigma_pt_rel"][second]
        )
        np.testing.assert_array_equal(ax.lines[1].get_xdata(), [0.5, 5, 50])

    def test_curves_over_angle(self):
        table = gttf.scan([ITS2, CLD], pt=[1, 10], eta=np.linspace(0, 1, 5))
        ax = table.plot("sigma_d0_um", ax=self.ax, color="k")
        self.assertEqual(len(ax.lines), 4)
        self.assertEqual(self.labels(ax)[-1], "CLD, pt = 10 GeV")
        ax = gttf.scan(ITS2, p=1, eta=[0, 1]).plot("sigma_d0_um", ax=self.ax)
        self.assertEqual(ax.get_xlabel(), "eta")

    def test_given_x_and_one_label_for_all(self):
        table = gttf.scan(ITS2, p=[1, 2, 4], theta="90deg,80deg")
        ax = table.plot("sigma_d0_um", x="x_over_x0", ax=self.ax, label="all")
        self.assertEqual(self.labels(ax), ["all"])
        ax = table.plot(ax=pyplot.figure().gca())
        self.assertEqual(self.labels(ax), ["theta = 90 deg", "theta = 80 deg"])

    def test_budget(self):
        budget = gttf.budget(ITS2, p=[1, 10], theta="90 deg")
        ax = budget.plot("d0", ax=self.ax)
        np.testing.assert_allclose(sum(bar.get_width() for bar in ax.patches), 100)
        self.assertIn("Var(d0)", ax.get_xlabel())

    def test_sensitivity(self):
        s = gttf.sensitivity(ITS2, p=1, theta="90 deg")
        ax = s.plot("pt", ax=self.ax)
        np.testing.assert_array_equal(
            [bar.get_width() for bar in ax.patches], s["elasticity_pt"]
        )

    def test_layouts(self):
        for path in sorted((ROOT / "detectors").glob("*.yaml")):
            detector = gttf.read_detector(path)
            ax = detector.plot(ax=pyplot.figure().gca())
            layers = sum(np.isnan(line.get_xdata()).sum() for line in ax.lines)
            self.assertEqual(layers, len(detector), path)
            self.assertEqual(ax.get_title(), detector.name)


if __name__ == "__main__":
    unittest.main()
