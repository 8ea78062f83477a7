package enum Version {
  /// The released version; `CHANGELOG.md` lists the changes.
  package static let text = "0.1.0"
}
