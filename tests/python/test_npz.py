# SPDX-License-Identifier: Apache-2.0
"""NumPy reads .npz outputs of the program: the numbers of the CSV, exactly."""

import io
import os
import subprocess
import unittest

import numpy as np

from program import CLD, ITS2, PROGRAM, assert_same_table, csv_of, npz_of

TRACK = ["--p", "1GeV", "--theta", "90deg"]


class Npz(unittest.TestCase):
    def assert_same(self, *arguments):
        arrays, provenance = npz_of(*arguments)
        assert_same_table(self, arrays, csv_of(*arguments))
        return {array.dtype.kind for array in arrays.values()}, provenance

    def test_scan(self):
        kinds, provenance = self.assert_same(
            "scan", ITS2, CLD, "--p", "0.05GeV:10GeV:7", "--theta", "90deg,30deg,1deg")
        self.assertEqual(kinds, {"U", "i", "f"})
        self.assertIn("result.npz", provenance["command_line"])
        self.assertEqual(len(provenance["inputs"]), 2)

    def test_other_verbs(self):
        self.assert_same("sweep", ITS2, *TRACK, "--vary", "layers[L0].cylinder.radius=22mm:30mm:4")
        self.assert_same("budget", ITS2, *TRACK)
        self.assert_same("regimes", ITS2, *TRACK)
        self.assert_same("toy", ITS2, *TRACK, "--toys", "50")
        self.assert_same("compare", ITS2, CLD, *TRACK, "--attribution")

    def output(self, *arguments):
        command = [PROGRAM, "scan", ITS2, *arguments, "--format", "npz"]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def test_the_same_bytes_for_any_number_of_threads(self):
        grid = ["--p", "0.1GeV:10GeV:200", "--eta", "0:1:20", "--no-provenance"]
        self.assertEqual(self.output(*grid, "--threads", "1"), self.output(*grid, "--threads", "5"))

    def test_standard_output(self):
        with np.load(io.BytesIO(self.output(*TRACK, "--columns", "sigma_d0_um,status"))) as archive:
            self.assertEqual(archive.files, ["sigma_d0_um", "status", "provenance"])

    def test_not_into_a_terminal(self):
        pid, terminal = os.forkpty()
        if pid == 0:
            os.execv(PROGRAM, [PROGRAM, "scan", ITS2, *TRACK, "--format", "npz"])
        shown = b""
        try:
            while piece := os.read(terminal, 4096):
                shown += piece
        except OSError:  # the end of a pseudo-terminal
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 2)
        self.assertIn(b"a terminal cannot show npz; add -o FILE.npz", shown)


if __name__ == "__main__":
    unittest.main()
