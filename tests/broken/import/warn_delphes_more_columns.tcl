set B 2.0
module TrackCovariance TrackSmearing {
  set Bz $B
  set DetectorGeometry {
    1 X -0.3 0.3 0.9 0.001 0.0937 2 0 1.5708 1e-05 1e-05 1
    1 Y -0.3 0.3 1.0 0.001 0.0937 2 0 1.5708 1e-05 1e-05 1
    1 Z -0.3 0.3 1.1 0.001 0.0937 2 0 1.5708 1e-05 1e-05 1
    1 VTX -0.1 0.1 0.02 0.0003 0.0937 2 0 1.5708 3e-06 3e-06 1 7 8
  }
}
