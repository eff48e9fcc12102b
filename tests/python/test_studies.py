# SPDX-License-Identifier: Apache-2.0
"""Results of studies are equal to those of the program."""

import csv
import unittest

import numpy as np

import gttf
from program import CLD, ITS2, ROOT, assert_same_table, csv_of, json_of, plain

try:
    import pandas
except ImportError:
    pandas = None

TRACK = {"p": 1, "theta": "80 deg"}
AXES = ["--p", "1GeV", "--theta", "80deg"]
HITS = ROOT / "configs" / "its2-hits.csv"


class Budget(unittest.TestCase):
    def test_one_track(self):
        budget = gttf.budget(ITS2, **TRACK)
        assert_same_table(self, budget, csv_of("budget", ITS2, *AXES))
        self.assertEqual(plain(budget.to_dict()), json_of("budget", ITS2, *AXES))
        total = budget["cause"] == "total"
        parts = budget["share_d0"][~total].sum()
        np.testing.assert_allclose(parts, budget["share_d0"][total], rtol=1e-9)
        self.assertIn("L0", str(budget))

    def test_grid_by_group(self):
        budget = gttf.budget([ITS2, CLD], p=[1, 10], theta="80 deg", by="group")
        arguments = [ITS2, CLD, "--p", "1GeV,10GeV", "--theta", "80deg"]
        expected = csv_of("budget", *arguments, "--by", "group")
        assert_same_table(self, budget, expected)
        with self.assertRaisesRegex(ValueError, 'by: "layer"'):
            gttf.budget(ITS2, **TRACK, by="other")


class Sensitivity(unittest.TestCase):
    def test_derivatives_headroom_and_lost_layers(self):
        limit = "sigma_pt_rel=2 %"
        s = gttf.sensitivity(ITS2, **TRACK, limits=[limit], drop=True)
        verb = ["sensitivity", ITS2, *AXES]
        assert_same_table(self, s, csv_of(*verb))
        assert_same_table(self, s.headroom, csv_of(*verb, "--limit", limit))
        assert_same_table(self, s.lost_layers, csv_of(*verb, "--drop"))
        self.assertEqual(len(s.to_dict()), s.rows)
        with self.assertRaises(gttf.InputError) as raised:
            gttf.sensitivity(ITS2, **TRACK, limits=["sigma_xy=1"])
        self.assertEqual(raised.exception.errors[0].file, "limits")


class Regimes(unittest.TestCase):
    def test_tracks_and_triplets(self):
        verb = ["regimes", ITS2, "--p", "0.2GeV,5GeV", "--theta", "80deg"]
        tracks = {"p": [0.2, 5], "theta": "80 deg"}
        regimes = gttf.regimes(ITS2, **tracks)
        assert_same_table(self, regimes, csv_of(*verb))
        self.assertEqual(plain(regimes.to_dict()), json_of(*verb))
        triplets = gttf.regimes(ITS2, **tracks, triplets=True)
        assert_same_table(self, triplets, csv_of(*verb, "--triplets"))


class Toy(unittest.TestCase):
    def test_same_seed_same_bits(self):
        how = {"toys": 500, "seed": 3, "fits": ["general", "ms"]}
        toys = gttf.toy(ITS2, **TRACK, **how, threads=2)
        verb = ["toy", ITS2, *AXES, "--toys", "500", "--seed", "3"]
        assert_same_table(self, toys, csv_of(*verb, "--fits", "general,ms"))
        again = gttf.toy(ITS2, **TRACK, **how, threads=1)
        self.assertEqual(plain(toys.to_dict()), plain(again.to_dict()))
        with self.assertRaises(gttf.InputError) as raised:
            gttf.toy(ITS2, **TRACK, fits="genral")
        self.assertEqual(raised.exception.errors[0].file, "fits")


class Fit(unittest.TestCase):
    def hits(self):
        lines = [l for l in HITS.read_text().splitlines() if l[:1] != "#"]
        rows = list(csv.DictReader(lines))
        read = {"track": int, "layer": str}
        return {
            name: [read.get(name, float)(row[name]) for row in rows] for name in rows[0]
        }

    def test_file(self):
        fit = gttf.fit(ITS2, HITS)
        assert_same_table(self, fit, csv_of("fit", ITS2, HITS))
        self.assertEqual((fit.residuals.rows, fit.messages), (0, []))
        fit = gttf.fit(ITS2, HITS, residuals=True, threads=2)
        self.assertEqual(fit.residuals.rows, sum(fit["n_hits"]))
        self.assertLess(abs(fit.residuals["residual_u_um"].mean()), 5)

    def test_options(self):
        fit = gttf.fit(ITS2, HITS, kind="hits", particle="muon", weights="update")
        arguments = ["fit", ITS2, HITS, "--fit", "hits", "--particle", "muon"]
        assert_same_table(self, fit, csv_of(*arguments))
        for name in ("kind", "weights", "max_distance", "bad_rows"):
            with self.assertRaisesRegex(ValueError, name):
                gttf.fit(ITS2, HITS, **{name: "other"})
        with self.assertRaisesRegex(TypeError, "no argument 'theta'"):
            gttf.fit(ITS2, HITS, theta=1)

    def test_arrays(self):
        expected = gttf.fit(ITS2, HITS)
        fit = gttf.fit(ITS2, self.hits())
        np.testing.assert_array_equal(fit["d0_um"], expected["d0_um"])
        if pandas:
            fit = gttf.fit(ITS2, pandas.DataFrame(self.hits()))
            np.testing.assert_array_equal(fit["d0_um"], expected["d0_um"])

    def test_bad_rows(self):
        hits = self.hits()
        hits["x_mm"][5] = "wrong"
        with self.assertRaises(gttf.InputError) as raised:
            gttf.fit(ITS2, hits)
        error = raised.exception.errors[0]
        self.assertEqual((error.line, error.column), (7, 6))
        fit = gttf.fit(ITS2, hits, bad_rows="skip")
        self.assertEqual(fit.messages[0].line, 7)


class Check(unittest.TestCase):
    FILE = ROOT / "configs" / "check" / "alice_its2.yaml"

    def test_shipped_detector(self):
        check = gttf.check(self.FILE)
        self.assertTrue(check.passed)
        assert_same_table(self, check, csv_of("check", self.FILE))
        self.assertEqual(plain(check.to_dict()), json_of("check", self.FILE))

    def test_other_detector(self):
        change = "layers[L0].material=2 %"
        for check in (
            gttf.check(self.FILE, gttf.read_detector(ITS2, set=[change])),
            gttf.check(self.FILE, set=[change]),
            gttf.check(self.FILE, ITS2, set=[change]),
        ):
            self.assertFalse(check.passed)
            expected = csv_of("check", self.FILE, "--set", change)
            assert_same_table(self, check, expected)


class Optimise(unittest.TestCase):
    STUDY = ROOT / "configs" / "optimise" / "lever-arm.yaml"

    def test_design(self):
        best = gttf.optimise(self.STUDY, starts=8, seed=2)
        self.assertTrue(best.found)
        verb = ["optimise", self.STUDY, "--starts", "8", "--seed", "2"]
        assert_same_table(self, best, csv_of(*verb))
        self.assertEqual(
            best.detector.layers.rows, len(gttf.read_detector(best.description))
        )
        expected = json_of(*verb)
        document = plain(best.to_dict())
        self.assertEqual(document.keys(), expected.keys())
        self.assertIn("certificate", str(best))
        self.assertEqual(document["warnings"], [])
        with self.assertRaisesRegex(ValueError, "local"):
            gttf.optimise(self.STUDY, starts=8, local=True)


if __name__ == "__main__":
    unittest.main()
