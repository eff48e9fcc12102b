set B 2.0
module TrackCovariance TrackSmearing {
  set Bz $B
  set DetectorGeometry {
    1 A -1 1 0.02 0.0003 0.0937 2 0 1.5708 3e-06 3e-06 1
    2 B 0.01 0.1 0.5 0.0003 0.0937 2 0 1.5708 3e-06 3e-06 1
  }
}
