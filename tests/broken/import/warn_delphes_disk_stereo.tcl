set B 2.0
module TrackCovariance TrackSmearing {
  set Bz $B
  set DetectorGeometry {
    2 D 0.01 0.1 0.5 0.0003 0.0937 2 0.1 1.5708 3e-06 0 1
  }
}
