enum Version {
  /// The released version; `CHANGELOG.md` lists the changes.
  static let text = "0.1.0"
}
