module TrackSmearing T {
  set Bz 2
}
