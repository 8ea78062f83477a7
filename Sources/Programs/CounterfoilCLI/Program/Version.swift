package enum Version {
  /// As released; `CHANGELOG.md` tells what is in it.
  package static let text = "0.1.0"
}
