# SPDX-License-Identifier: Apache-2.0
"""Compares resolve(), scan() and covariances() with the program and each other."""

import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path

import numpy as np

import gttf
from program import CLD, ITS2, ROOT, assert_same_table, csv_of, json_of, plain

try:
    import pandas
except ImportError:
    pandas = None


class Resolve(unittest.TestCase):
    def test_is_what_the_program_writes(self):
        r = gttf.resolve(ITS2, p="1 GeV", theta="75 deg", particle="kaon")
        arguments = ["resolve", ITS2, "--p", "1GeV", "--theta", "75deg"]
        self.assertEqual(
            plain(r.to_dict()), json_of(*arguments, "--particle", "kaon")
        )

    def test_numbers(self):
        r = gttf.resolve(ITS2, p=1, theta=np.float64(1.2))
        self.assertEqual(r.status, "ok")
        self.assertEqual(r.track_end, "leaves")
        self.assertEqual(r.n_hits, 7)
        self.assertEqual(r.covariance.shape, (5, 5))
        np.testing.assert_array_equal(r.covariance, r.covariance.T)
        self.assertGreaterEqual(np.linalg.eigvalsh(r.covariance).min(), 0)
        d0 = np.sqrt(r.covariance[0, 0])
        self.assertEqual(r.sigmas["d0"], d0)
        self.assertAlmostEqual(r.row["sigma_d0_um"], 1000 * d0, delta=1e-12)
        self.assertEqual(r.sigmas["pt"], r.sigma_pt_rel)
        self.assertLess(r.sigma_p_rel_hit_only, r.sigma_p_rel)
        self.assertLess(r.sigma_p_rel_ms_only, r.sigma_p_rel)
        self.assertEqual(r.regime, r.row["regime"])
        self.assertEqual(r.crossings.rows, len(r.to_dict()["crossings"]))
        for matrix in ("without_inner", "first_hit", "start_plane"):
            self.assertTrue(np.isfinite(getattr(r, "covariance_" + matrix)).all())
        self.assertIn("Covariance at the perigee", str(r))
        self.assertIn("ok", repr(r))

    def test_track_without_resolution_says_why(self):
        r = gttf.resolve(ITS2, p=0.002, theta="90 deg")
        self.assertEqual(r.status, "curls up")
        self.assertTrue(np.isnan(r.sigma_p_rel))
        self.assertTrue(np.isnan(r.covariance).all())

    def test_layers_that_are_crossed_again(self):
        inwards = {"p": 1, "theta": "90 deg", "vertex": (-50, 0, 0)}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            twice = gttf.resolve(ITS2, **inwards)
            once = gttf.resolve(ITS2, phi="180 deg", **inwards)
        self.assertGreater(twice.n_hits, once.n_hits)
        looper = {"p": 0.1, "theta": "85 deg"}
        back = gttf.resolve(ITS2, turns=1, **looper)
        self.assertGreater(back.n_hits, gttf.resolve(ITS2, **looper).n_hits)

    def test_options(self):
        free = gttf.resolve(ITS2, p=1, theta=1.2)
        kept = gttf.resolve(ITS2, p=1, theta=1.2, beam_spot=(0.01, 0.01, 50))
        self.assertLess(kept.sigmas["d0"], free.sigmas["d0"])
        moved = gttf.resolve(ITS2, p=1, theta=1.2, vertex=(0, 0, 10.5))
        self.assertEqual(moved.to_dict()["input"]["vertex_mm"], [0, 0, 10.5])
        at = gttf.resolve(ITS2, p=1, theta=1.2, at="L3", own_hit=False)
        self.assertEqual(at.row["at_status"], "ok")
        other = gttf.resolve(ITS2, p=1, theta=1.2, engine="triplet")
        np.testing.assert_allclose(other.sigma_p_rel, free.sigma_p_rel, rtol=1e-6)


class Scan(unittest.TestCase):
    def test_grid_is_what_the_program_writes(self):
        table = gttf.scan(
            [ITS2, CLD], p="0.05GeV:100GeV:9", eta=[0, 1.0, 3.5], threads=2
        )
        axes = ["--p", "0.05GeV:100GeV:9", "--eta", "0,1.0,3.5"]
        assert_same_table(self, table, csv_of("scan", ITS2, CLD, *axes))

    def test_study_file(self):
        study = ROOT / "configs" / "barrel.yaml"
        assert_same_table(self, gttf.scan(study=study), csv_of("scan", study))
        change = "layers[L1].material=1 %"
        table = gttf.scan(study=study, p="2 GeV", set=[change])
        expected = csv_of("scan", study, "--p", "2GeV", "--set", change)
        assert_same_table(self, table, expected)

    def test_columns_and_units(self):
        names = ["p_GeV", "sigma_d0_um", "sigma_pt_rel", "n_hits", "status"]
        table = gttf.scan(ITS2, p=[1, 2], theta="90 deg", columns=names)
        self.assertEqual(set(table), set(names))
        self.assertEqual(table.units["sigma_d0_um"], "um")
        self.assertEqual(table.units["p_GeV"], "GeV")
        self.assertEqual(table.units["sigma_pt_rel"], "1")
        self.assertEqual(table.units["n_hits"], "")
        self.assertIn("transverse", table.definitions["sigma_d0_um"])
        with self.assertRaisesRegex(ValueError, 'did you mean "sigma_d0_um"'):
            gttf.scan(ITS2, p=1, theta=1, columns=["sigma_d0"])

    def test_particle_of_a_mass(self):
        for p in (1, [1, 2], np.array([1.0, 2.0])):
            table = gttf.scan(ITS2, p=p, theta=1, mass=0.5)
            self.assertEqual(set(table["particle"]), {"custom"})
        table = gttf.scan(ITS2, p=np.array([1.0, 2.0]), theta=1, particle="kaon")
        self.assertEqual(set(table["particle"]), {"kaon"})

    def test_columns_as_on_the_command_line(self):
        one = gttf.scan(ITS2, p=1, theta=1, columns="sigma_d0_um")
        self.assertIn("sigma_d0_um", list(one))
        self.assertNotIn("sigma_z0_um", list(one))
        names = ["sigma_d0_um", "sigma_z0_um"]
        two = gttf.scan(ITS2, p=1, theta=1, columns="sigma_d0_um, sigma_z0_um")
        self.assertEqual(list(two), list(gttf.scan(ITS2, p=1, theta=1, columns=names)))
        every = gttf.scan(ITS2, p=1, theta=1, columns="all")
        self.assertEqual(list(every), list(gttf.scan(ITS2, p=1, theta=1)))

    def test_tracks_are_rows(self):
        p, theta = np.array([0.5, 1.0, 20.0]), np.array([1.0, 1.3, 1.57])
        table = gttf.scan(ITS2, grid=False, p=p, theta=theta, phi=[0.1, 0.2, 0.3])
        for i in range(3):
            one = gttf.resolve(ITS2, p=p[i], theta=theta[i], phi=0.1 * (i + 1)).row
            for name, value in one.items():
                if isinstance(value, float):
                    np.testing.assert_allclose(table[name][i], value, rtol=1e-9)
                else:
                    self.assertEqual(table[name][i], value)

    def test_many_tracks_in_blocks(self):
        p = np.linspace(0.2, 50, 5003)
        names = ["p_GeV", "sigma_d0_um"]
        one = gttf.scan(ITS2, grid=False, p=p, columns=names, threads=1)
        two = gttf.scan(ITS2, grid=False, p=p, columns=names, threads=2)
        np.testing.assert_array_equal(one["p_GeV"], p)
        np.testing.assert_array_equal(one["sigma_d0_um"], two["sigma_d0_um"])
        self.assertEqual(gttf.scan(ITS2, grid=False, p=[]).rows, 0)

    def test_columns_are_not_copied(self):
        table = gttf.scan(ITS2, p="0.1GeV:10GeV:50", theta="90 deg")
        arrays = table.to_numpy()
        self.assertIs(arrays["sigma_d0_um"], table["sigma_d0_um"])
        self.assertFalse(table["sigma_d0_um"].flags.owndata)
        del table  # the arrays keep the memory alive
        self.assertTrue(np.isfinite(arrays["sigma_d0_um"]).all())

    @unittest.skipUnless(pandas, "needs pandas")
    def test_pandas_shares_the_memory(self):
        table = gttf.scan(ITS2, p="0.1GeV:10GeV:50", theta="90 deg")
        frame = table.to_pandas()
        self.assertEqual(list(frame.columns), list(table))
        self.assertEqual(frame.attrs["units"]["sigma_d0_um"], "um")
        for name in ("sigma_d0_um", "n_hits", "p_GeV"):
            self.assertTrue(np.shares_memory(frame[name].to_numpy(), table[name]), name)


class Sweep(unittest.TestCase):
    VARY = {"layers[L0].cylinder.radius": "20mm:30mm:3", "field.solenoid": ["1 T", "2 T"]}

    def test_is_what_the_program_writes(self):
        verb = ["sweep", ITS2, "--p", "1GeV,5GeV", "--theta", "80deg"]
        verb += ["--vary", "layers[L0].cylinder.radius=20mm:30mm:3"]
        verb += ["--vary", "field.solenoid=1T,2T"]
        tracks = {"vary": self.VARY, "p": [1, 5], "theta": "80 deg"}
        assert_same_table(self, gttf.sweep(ITS2, **tracks), csv_of(*verb))
        worst = gttf.sweep(ITS2, **tracks, reduce="worst", threads=2)
        assert_same_table(self, worst, csv_of(*verb, "--reduce", "worst"))

    def test_keys_follow(self):
        verb = ["sweep", ITS2, "--p", "1GeV", "--theta", "80deg"]
        verb += ["--vary", "layers[L0].cylinder.radius=20mm:30mm:3"]
        plain = csv_of(*verb)
        verb += ["--follow", "layers[L1].cylinder.radius=layers[L0].cylinder.radius + 8 mm"]
        tracks = {"vary": {"layers[L0].cylinder.radius": "20mm:30mm:3"}, "p": 1, "theta": "80 deg"}
        follow = {"layers[L1].cylinder.radius": "layers[L0].cylinder.radius + 8 mm"}
        assert_same_table(self, gttf.sweep(ITS2, **tracks, follow=follow), csv_of(*verb))
        # those of a study, too
        with tempfile.TemporaryDirectory() as folder:
            study = Path(folder) / "study.yaml"
            study.write_text(
                f"gttf-study: 1\ndetectors: [{ITS2}]\nmomentum: 1 GeV\ntheta: 80 deg\n"
                "vary: { 'layers[L0].cylinder.radius': { from: 20 mm, to: 30 mm, points: 3 } }\n"
                "follow: { 'layers[L1].cylinder.radius': 'layers[L0].cylinder.radius + 8 mm' }\n"
            )
            assert_same_table(self, gttf.sweep(study=study), csv_of(*verb))
        self.assertNotEqual(plain, csv_of(*verb))

    def test_faults(self):
        tracks = {"p": 1, "theta": "80 deg"}
        with self.assertRaisesRegex(TypeError, "no key to vary"):
            gttf.sweep(ITS2, **tracks)
        with self.assertRaisesRegex(ValueError, 'reduce: "mean"'):
            gttf.sweep(ITS2, vary=self.VARY, **tracks, reduce="best")
        with self.assertRaisesRegex(ValueError, "no column"):
            gttf.sweep(ITS2, vary=self.VARY, **tracks, columns=["sigma"])
        with self.assertRaises(gttf.InputError) as raised:
            gttf.sweep(ITS2, vary={"field.solenoid": "1 mm"}, **tracks)
        self.assertGreater(len(raised.exception.errors), 0)
        with self.assertWarnsRegex(gttf.InputWarning, "1 of 2 combinations"):
            gttf.sweep(ITS2, vary={"layers[L0].material": ["1 %", "-1 %"]}, **tracks)


class Decay(unittest.TestCase):
    def test_is_what_the_program_writes(self):
        text = "B_s0 -> mu+ mu-"
        verb = ["decay", text, ITS2, "--pt", "5GeV,10GeV", "--eta", "0.2"]
        table = gttf.decay(text, ITS2, pt=[5, 10], eta=0.2)
        assert_same_table(self, table, csv_of(*verb))
        extra = ["--sqrt-s", "240GeV,0.3GeV", "--toys", "64", "--configurations", "16"]
        table = gttf.decay(
            text,
            ITS2,
            pt=[5, 10],
            eta=0.2,
            sqrt_s=240,
            sigma_sqrt_s=0.3,
            toys=64,
            configurations=16,
            threads=2,
        )
        assert_same_table(self, table, csv_of(*verb, *extra))

    def test_faults(self):
        with self.assertRaises(gttf.InputError) as raised:
            gttf.decay("B_s0 -> mu+ gamma", ITS2, pt=5)
        self.assertEqual(raised.exception.errors[0].column, 13)
        with self.assertRaisesRegex(ValueError, "no column"):
            gttf.decay("B_s0 -> mu+ mu-", ITS2, pt=5, columns=["sigma"])


class Covariances(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(1)
        self.p = 10 ** random.uniform(-0.5, 2, 1000)
        self.theta = random.uniform(0.8, 2.3, 1000)
        self.phi = random.uniform(-3, 3, 1000)

    def test_are_those_of_single_tracks(self):
        c = gttf.covariances(CLD, self.p, self.theta, self.phi)
        matrices = c.matrices()
        self.assertTrue(c.ok.all())
        for i in range(0, 1000, 97):
            r = gttf.resolve(CLD, p=self.p[i], theta=self.theta[i], phi=self.phi[i])
            scale = np.sqrt(np.outer(np.diag(r.covariance), np.diag(r.covariance)))
            np.testing.assert_allclose(
                matrices[i] / scale, r.covariance / scale, rtol=0, atol=1e-9
            )
            self.assertEqual(c.n_hits[i], r.n_hits)

    def test_elements(self):
        c = gttf.covariances(CLD, self.p, self.theta, self.phi)
        matrices = c.matrices()
        self.assertEqual(c.order, gttf.PERIGEE)
        self.assertEqual(len(list(c)), 15)
        for i, a in enumerate(c.order):
            for j, b in enumerate(c.order):
                np.testing.assert_array_equal(c[a, b], matrices[:, i, j])
                self.assertTrue(np.shares_memory(c[a, b], c.packed))
        np.testing.assert_array_equal(c.sigma("d0"), np.sqrt(matrices[:, 0, 0]))
        with self.assertRaises(KeyError):
            c["d0", "x"]

    def test_other_places(self):
        one = {"p": 5, "theta": 1.1}
        r = gttf.resolve(CLD, **one)
        for which in ("without_inner", "first_hit", "start_plane"):
            c = gttf.covariances(CLD, **one, which=which)
            expected = getattr(r, "covariance_" + which)
            np.testing.assert_allclose(c.matrices()[0], expected, rtol=1e-6)
        with self.assertRaisesRegex(ValueError, "which"):
            gttf.covariances(CLD, 1, which="other")

    def test_pt_eta_mass_charge_vertex(self):
        c = gttf.covariances(
            CLD, pt=[2, 3], eta=[0.5, -1], mass=0.1056583755, charge=[1, -1],
            vertex=(0, 0, [1, 2]),
        )
        for i in range(2):
            r = gttf.resolve(
                CLD, pt=2 + i, eta=(0.5, -1)[i], particle="muon",
                charge=(1, -1)[i], vertex=(0, 0, 1 + i),
            )
            np.testing.assert_allclose(c.sigma("d0")[i], r.sigmas["d0"], rtol=1e-9)

    def test_threads_and_out(self):
        one = gttf.covariances(CLD, self.p, self.theta, threads=1)
        out = np.empty((15, 1000))
        two = gttf.covariances(CLD, self.p, self.theta, threads=2, out=out)
        self.assertIs(two.packed, out)
        np.testing.assert_array_equal(one.packed, out)
        with self.assertRaisesRegex(ValueError, "out: 15 numbers"):
            gttf.covariances(CLD, self.p, out=np.empty((15, 1)))
        with self.assertRaises(TypeError):
            gttf.covariances(CLD, self.p, out=np.empty((15, 1000), np.float32))

    def test_status(self):
        c = gttf.covariances(ITS2, [0.002, 1])
        self.assertEqual(c.status.tolist(), ["curls up", "ok"])
        self.assertEqual(c.ok.tolist(), [False, True])
        self.assertTrue(np.isnan(c["d0", "d0"][0]))

    def test_faults(self):
        for name, value in {
            "p": [1, -1],
            "theta": [1, 4],
            "charge": [1, 0],
            "mass": [0, -1],
            "phi": [0, np.nan],
        }.items():
            arguments = {"p": 1, name: value}
            with self.assertRaisesRegex(ValueError, rf"{name}\[1\] = "):
                gttf.covariances(CLD, **arguments)
        with self.assertRaisesRegex(ValueError, "theta: 3 numbers"):
            gttf.covariances(CLD, [1, 2], [1, 1, 1])
        with self.assertRaisesRegex(TypeError, "give either p or pt"):
            gttf.covariances(CLD)
        with self.assertRaisesRegex(TypeError, "give either theta or eta"):
            gttf.covariances(CLD, 1, 1, eta=0)
        with self.assertRaisesRegex(TypeError, "vertex: x, y and z"):
            gttf.covariances(CLD, 1, vertex=(0, 0))
        self.assertEqual(gttf.covariances(CLD, []).sigma("d0").size, 0)
        with self.assertRaisesRegex(TypeError, "p: numbers in GeV"):
            gttf.covariances(CLD, "1 GeV")

    def test_the_gil_is_released(self):
        counts, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counts[0] += 1
                time.sleep(0.0005)

        thread = threading.Thread(target=count)
        p = np.linspace(0.5, 20, 400_000)
        thread.start()
        before = counts[0]
        gttf.covariances(CLD, p, threads=1)
        during = counts[0] - before
        done.set()
        thread.join()
        # with the GIL held, the other thread would run once or twice
        self.assertGreater(during, 10)


if __name__ == "__main__":
    unittest.main()
