set B 2.0
module TrackCovariance TrackSmearing {
  set Bz $B
  set DetectorGeometry {
    # nothing but a comment
  }
}
