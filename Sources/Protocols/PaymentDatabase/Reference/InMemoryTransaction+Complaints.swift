import PaymentModel
import PaymentPrimitives

extension InMemoryTransaction {
  func complaint(_ id: String, in appEnvironment: AppEnvironment) throws -> Complaint? {
    try proceed()
    return rows.complaints[complaintPlace(id, appEnvironment)]
  }

  func openComplaints(in appEnvironment: AppEnvironment, limit: Int) throws -> [Complaint] {
    try proceed()
    return rows.complaints.values.filter { $0.appEnvironment == appEnvironment && $0.isOpen }
      .sorted { ($0.begunAt, ExactText($0.id)) < ($1.begunAt, ExactText($1.id)) }.limited(to: limit)
  }

  func complaints(
    in appEnvironment: AppEnvironment, before last: (openedAt: Timestamp, id: String)?, limit: Int
  ) throws -> [Complaint] {
    try proceed()
    let found = rows.complaints.values.filter { complaint in
      guard complaint.appEnvironment == appEnvironment else { return false }
      guard let last else { return true }
      return (complaint.openedAt, ExactText(complaint.id)) < (last.openedAt, ExactText(last.id))
    }
    return newestFirst(found, limit)
  }

  func complaints(of user: UserIdentifier, in appEnvironment: AppEnvironment, limit: Int) throws -> [Complaint] {
    try proceed()
    return newestFirst(
      rows.complaints.values.filter { $0.appEnvironment == appEnvironment && $0.user == user }, limit)
  }

  private func newestFirst(_ complaints: [Complaint], _ limit: Int) -> [Complaint] {
    complaints.sorted { ($0.openedAt, ExactText($0.id)) > ($1.openedAt, ExactText($1.id)) }.limited(to: limit)
  }

  private func complaintPlace(_ id: String, _ appEnvironment: AppEnvironment) -> InMemoryRows.ScopedText {
    InMemoryRows.ScopedText(appEnvironment: appEnvironment, scope: "", text: ExactText(id))
  }

  func put(_ complaint: Complaint) throws {
    try proceed()
    let place = complaintPlace(complaint.id, complaint.appEnvironment)
    let before = rows.complaints[place]
    try require(
      before == nil || before?.openedAt == complaint.openedAt, "A complaint to be replaced was opened at another time.")
    set(\.complaints, place, value: complaint)
  }
}
