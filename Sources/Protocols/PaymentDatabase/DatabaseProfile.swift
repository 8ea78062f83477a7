/// The purpose of a database. It is stored when the database is created and never changes.
package enum DatabaseProfile: String, Hashable, CaseIterable, Sendable {
  /// It may contain payments of real money.
  case production
  /// Created with a simulator: shown as such everywhere, rejected by a production server.
  case simulated
}

/// The names of the settings that are stored when a database is created.
package enum DatabaseSetting {
  /// `DatabaseProfile.rawValue`.
  package static let profile = "profile"
  /// 64 hexadecimal digits of 32 random bytes: the key for the ids of derived orders. With it, a restored backup or a
  /// second node creates the same ids.
  package static let installationSecret = "installation.secret"
  /// Since when the database lacks what was written, because its log was taken away: milliseconds as text. Empty once
  /// the stores have been asked.
  package static let logLostSince = "log.lostSince"
  /// The time that a database restored from a backup knows nothing about, as the engine's text.
  package static let backupGap = "backup.gap"
  /// Where the rows of this database were copied, and serve from now on; empty or missing otherwise.
  package static let movedTo = "moved.to"
  /// What each channel for alerts was told, as JSON.
  package static let alertsTold = "alerts.told"
  /// The node that tells the channels, and until when: its name and milliseconds.
  package static let alertsLease = "alerts.lease"
}
