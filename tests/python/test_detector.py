# SPDX-License-Identifier: Apache-2.0
"""Detectors from files, text and dicts; errors with their locations."""

import json
import pickle
import unittest
import warnings
from pathlib import Path

import gttf
from program import BARREL, CLD, ITS2, json_of, plain

TEXT = """gttf-detector: 1
name: small
field: { solenoid: 2 T }
layers:
  - name: L0
    cylinder: { radius: 20 mm, half_length: 200 mm }
    material: 0.5 %
    measures: { rphi: 5 um, z: 5 um }
  - name: L1
    cylinder: { radius: 60 mm, half_length: 200 mm }
    material: 0.5 %
    measures: { rphi: 5 um, z: 5 um }
  - name: L2
    cylinder: { radius: 100 mm, half_length: 200 mm }
    material: 0.5 %
    measures: { rphi: 5 um, z: 5 um }
"""
DICT = {
    "gttf-detector": 1,
    "name": "small",
    "field": {"solenoid": "2 T"},
    "layers": [
        {
            "name": f"L{i}",
            "cylinder": {"radius": f"{r} mm", "half_length": "200 mm"},
            "material": "0.5 %",
            "measures": {"rphi": "5 um", "z": "5 um"},
        }
        for i, r in enumerate((20, 60, 100))
    ],
}


class Read(unittest.TestCase):
    def test_file(self):
        detector = gttf.read_detector(Path(ITS2))
        self.assertEqual(detector.file, ITS2)
        self.assertEqual(detector.text, Path(ITS2).read_text())
        self.assertEqual(len(detector), len(detector.layer_names))
        self.assertIn("L0", detector.layer_names)
        self.assertAlmostEqual(abs(detector.field_T), 0.5, delta=0.1)
        self.assertEqual(plain(detector.to_dict()), json_of("show", ITS2))

    def test_text_and_dict_are_the_same_detector(self):
        tracks = {"p": 1, "theta": 1.2}
        from_text = gttf.resolve(TEXT, **tracks)
        from_dict = gttf.resolve(DICT, **tracks)
        self.assertEqual(from_text.status, "ok")
        self.assertEqual(from_text.covariance.tolist(), from_dict.covariance.tolist())
        self.assertEqual(gttf.read_detector(TEXT).file, "<text>")
        self.assertEqual(gttf.read_detector(DICT).file, "<dict>")

    def test_changes(self):
        detector = gttf.read_detector(TEXT, set={"layers[L0].material": "1 %"})
        self.assertEqual(detector.layers["x_over_x0"].tolist(), [0.01, 0.005, 0.005])
        more = detector.change(["layers[L1].material=2 %"])
        self.assertEqual(more.layers["x_over_x0"].tolist(), [0.01, 0.02, 0.005])
        self.assertEqual(detector.layers["x_over_x0"][1], 0.005)

    def test_pickle(self):
        detector = gttf.read_detector(TEXT, set={"layers[L0].material": "1 %"})
        copy = pickle.loads(pickle.dumps(detector))
        self.assertEqual(copy.sha256, detector.sha256)
        self.assertEqual(copy.layers["x_over_x0"][0], 0.01)

    def test_tables(self):
        detector = gttf.read_detector(TEXT)
        self.assertEqual(detector.layers["position_mm"].tolist(), [20, 60, 100])
        self.assertEqual(detector.layers.units["position_mm"], "mm")
        self.assertEqual(detector.measures, [True] * 3)
        profile = detector.profile()
        self.assertEqual(profile["n_hits"].max(), 3)
        self.assertIn("small", str(detector))
        self.assertIn("3 layers", repr(detector))

    def test_warnings_are_of_python(self):
        odd = TEXT.replace("200 mm", "200 mm", 1).replace("0.5 %", "0.4", 1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            detector = gttf.read_detector(odd)
        self.assertEqual(len(caught), len(detector.warnings))
        self.assertTrue(all(w.category is gttf.InputWarning for w in caught))
        self.assertGreater(len(caught), 0)
        self.assertEqual(detector.warnings[0].severity, "warning")


class Errors(unittest.TestCase):
    def error_of(self, call, *arguments, **named):
        with self.assertRaises(gttf.InputError) as raised:
            call(*arguments, **named)
        self.assertIsInstance(raised.exception, ValueError)
        return raised.exception

    def test_all_errors_with_their_places(self):
        wrong = TEXT.replace("20 mm", "20").replace("2 T", "2")
        error = self.error_of(gttf.read_detector, wrong)
        self.assertEqual(
            [(e.file, e.line, e.column) for e in error.errors],
            [("<text>", 3, 20), ("<text>", 6, 25)],
        )
        first = error.errors[0]
        self.assertEqual(first.path, "field.solenoid")
        self.assertIn("missing unit", first.message)
        self.assertIn("2 T", first.suggestion)
        self.assertEqual(first.severity, "error")
        self.assertIn("<text>:3:20: error:", str(error))
        self.assertIn("<text>:3:20", repr(first))

    def test_dict(self):
        wrong = json.loads(json.dumps(DICT))
        wrong["layers"][1]["cylinder"]["radius"] = -60
        error = self.error_of(gttf.read_detector, wrong)
        self.assertEqual(error.errors[0].file, "<dict>")
        self.assertEqual(error.errors[0].path, "layers[1].cylinder.radius")

    def test_missing_file_suggests_one(self):
        error = self.error_of(gttf.read_detector, ITS2.replace("its2", "its22"))
        self.assertIn("alice_its2.yaml", str(error))

    def test_changes(self):
        error = self.error_of(gttf.read_detector, TEXT, set={"layers[L7].material": 1})
        self.assertEqual(error.errors[0].file, "set")

    def test_arguments(self):
        error = self.error_of(gttf.resolve, TEXT, p="1 mm", theta="90 deg")
        self.assertEqual(error.errors[0].file, "p")
        error = self.error_of(gttf.resolve, TEXT, theta=1)
        self.assertEqual(error.errors[0].line, 0)
        self.assertEqual(error.errors[0].suggestion, "give p 1GeV or pt 1GeV")
        error = self.error_of(gttf.resolve, TEXT, p=1, theta=1, beam_spot=1)
        self.assertEqual(error.errors[0].file, "beam_spot")
        with self.assertRaisesRegex(ValueError, "p: too many values for a grid"):
            gttf.scan(TEXT, p=range(1, 200_000), theta=1)
        with self.assertRaisesRegex(TypeError, "cannot contain"):
            gttf.read_detector({"name": {1, 2}})
        with self.assertRaisesRegex(TypeError, "did you mean 'particle'"):
            gttf.resolve(TEXT, p=1, partcle="pion")
        with self.assertRaisesRegex(ValueError, "engine"):
            gttf.resolve(TEXT, p=1, theta=1, engine="other")

    def test_several_files(self):
        error = self.error_of(gttf.scan, study=BARREL, p=1, theta=1)
        self.assertIn("detector", str(error))
        with self.assertRaisesRegex(TypeError, "give detectors or a study"):
            gttf.scan(p=1)
        self.assertEqual(len(gttf.scan([ITS2, CLD], p=1, theta=1)["p_GeV"]), 2)


if __name__ == "__main__":
    unittest.main()
