enum Version {
  /// As released; `CHANGELOG.md` tells what is in it.
  static let text = "0.1.0"
}
