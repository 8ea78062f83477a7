import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import WeChatPayIntegration

// Complaints of customers at WeChat Pay: what each page reads.
extension ConsolePages {
  private static let rowsMax = 50

  func showComplaints(_ visit: AppVisit) async throws -> HTTPResponse {
    let all = visit.visit.query("state") == "all"
    let after = visit.visit.query("after").flatMap(Self.position)
    let found = try await engine.listComplaints(
      of: visit.app, openOnly: !all, before: after, limit: all ? Self.rowsMax + 1 : 500)
    let shown = all ? Array(found.prefix(Self.rowsMax)) : found
    func link(_ after: String?) -> LinkTarget {
      visit.link("complaints", query: [("state", "all")] + (after.map { [("after", $0)] } ?? []))
    }
    let next = found.count > shown.count ? shown.last.map { link("\($0.openedAt.milliseconds).\($0.id)") } : nil
    let assigned = try await engine.assignments(of: visit.app.id)
    let assignments = shown.compactMap { complaint in
      assigned[engine.itemName(of: complaint)].map { (complaint.id, $0) }
    }
    let list = ComplaintList(
      visit: visit, complaints: shown, assignments: Dictionary(assignments) { $1 }, next: next,
      first: after.map { _ in link(nil) }, now: visit.visit.now)
    return console.page(Words.complaints[visit.language], list.markup, for: visit, at: .complaints)
  }

  func showComplaint(_ id: String, _ visit: AppVisit) async throws -> HTTPResponse {
    let story = try await engine.tellComplaint(id, of: visit.app)
    let assignment = try await engine.assignments(of: visit.app.id)[engine.itemName(of: story.complaint)]
    let page = ComplaintPage(visit: visit, story: story, assignment: assignment, now: visit.visit.now)
    return console.page(Words.complaints[visit.language], page.markup, for: visit, at: .complaints)
  }

  /// A picture of a customer. It is one by its bytes, whatever it was called.
  func showComplaintPicture(_ place: String, of id: String, _ visit: AppVisit) async throws -> HTTPResponse {
    guard let number = Int(place),
      let picture = try await engine.complaintPicture(number, of: id, for: visit.app)
    else { throw ConsoleProblem.notFound }
    try await console.noteSeen("complaint", id, in: visit.app.home, for: visit)
    return HTTPResponse(status: 200, fields: ["Content-Type": picture.type], body: picture.bytes)
  }

  /// `1764071234567.2002…`, as it stands in an address.
  private static func position(_ text: String) -> (openedAt: Timestamp, id: String)? {
    let parts = text.split(separator: ".", maxSplits: 1)
    guard parts.count == 2, let moment = Int64(parts[0]) else { return nil }
    return (Timestamp(milliseconds: moment), String(parts[1]))
  }
}
