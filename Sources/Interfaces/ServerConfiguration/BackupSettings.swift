package import PaymentPrimitives

/// When the server takes backups by itself, and where it keeps them.
package struct BackupSettings: Hashable, Sendable {
  /// The folder of the backups.
  package var folder: String
  /// The time between two backups.
  package var every: TimeSpan
  /// How many backups stay.
  package var keep: Int

  package init(folder: String, every: TimeSpan, keep: Int) {
    self.folder = folder
    self.every = every
    self.keep = keep
  }
}
