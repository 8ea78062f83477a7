package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func complaint(_ id: String, in appEnvironment: AppEnvironment) throws -> Complaint? {
    try read(.complaint(id, appEnvironment)) { try $0.complaint(id, in: appEnvironment) }
  }

  package func openComplaints(in appEnvironment: AppEnvironment, limit: Int) throws -> [Complaint] {
    try readWithoutKey { try $0.openComplaints(in: appEnvironment, limit: limit) }
  }

  package func complaints(
    in appEnvironment: AppEnvironment, before last: (openedAt: Timestamp, id: String)?, limit: Int
  ) throws -> [Complaint] {
    try readWithoutKey { try $0.complaints(in: appEnvironment, before: last, limit: limit) }
  }

  package func complaints(
    of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [Complaint] {
    try readWithoutKey { try $0.complaints(of: user, in: appEnvironment, limit: limit) }
  }

  package func put(_ complaint: Complaint) throws { try write(.order(.putComplaint(complaint))) }
}
