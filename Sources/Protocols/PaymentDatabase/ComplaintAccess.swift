package import PaymentModel
package import PaymentPrimitives

/// Complaints of customers at a store.
package protocol ComplaintReader {
  func complaint(_ id: String, in appEnvironment: AppEnvironment) throws -> Complaint?
  /// The open ones, the longest waiting first; at most `limit`.
  func openComplaints(in appEnvironment: AppEnvironment, limit: Int) throws -> [Complaint]
  /// All of them, those opened last first, from behind a place on; at most `limit`.
  func complaints(
    in appEnvironment: AppEnvironment, before last: (openedAt: Timestamp, id: String)?, limit: Int
  ) throws -> [Complaint]
  /// Those about a user's orders, opened last first; at most `limit`.
  func complaints(of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int) throws -> [Complaint]
}

/// The write about them.
package protocol ComplaintWriter {
  /// Adds a complaint, or replaces everything but when it was opened.
  func put(_ complaint: Complaint) throws
}
