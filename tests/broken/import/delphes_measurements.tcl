set B 2.0
module TrackCovariance TrackSmearing {
  set Bz $B
  set DetectorGeometry {
    1 VTX -0.1 0.1 0.02 0.0003 0.0937 3 0 1.5708 3e-06 3e-06 1
  }
}
