/// What a database is for; it is written into it when it is made and never changes.
package enum DatabaseProfile: String, Hashable, CaseIterable, Sendable {
  /// Real money may be in it.
  case production
  /// Made with a simulator: shown as such everywhere, refused by a production server.
  case simulated
}

/// The names of the settings that a store writes when a database is made.
package enum DatabaseSetting {
  /// `DatabaseProfile.rawValue`.
  package static let profile = "profile"
  /// 64 hexadecimal digits of 32 random bytes: the key by which derived orders get their ids, so that a restored
  /// backup or a second node makes the same.
  package static let installationSecret = "installation.secret"
}
