import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol
import WeChatPaySimulator

/// Checks the complaints at WeChat Pay, and what operators wrote to the customers.
struct ComplaintCheck: WorldCheck {
  let records: WorldRecords

  func run() async throws {
    for truth in records.weChatComplaints { try await check(truth) }
    checkAnswers()
  }

  /// Checks that a complaint is known here as it stands, with its order and user, and that nothing is due too early.
  private func check(_ truth: SimulatedComplaint) async throws {
    let (facts, place) = (truth.facts, context.appEnvironment)
    guard let row = try await database.read({ try $0.complaint(facts.id, in: place) }) else {
      return events.reportViolation("the complaint \(facts.id) is not known here")
    }
    if row.state != facts.state.text || row.times != facts.times || row.awaitsReply != facts.awaitsReply
      || row.isOpen == (facts.state == .known(.processed))
    {
      events.reportViolation(
        "the complaint \(facts.id) is \(facts.state.text) for the \(facts.times). time, and here \(row.state) for the "
          + "\(row.times).")
    }
    guard let number = facts.subjects.compactMap(\.outTradeNo).first, let id = OrderIdentifier(number) else { return }
    let key = PaymentModel.OrderKey(appEnvironment: place, id: id)
    let order = try await database.read { try $0.order(key) }
    if row.order != id || row.user != order?.user {
      events.reportViolation(
        "the complaint \(facts.id) is about \(id) of \(order?.user.text ?? "nobody"), and here of "
          + "\(row.user?.text ?? "nobody")")
    }
    checkDue(row, truth, journal: try await database.read { try $0.journal(of: key) })
  }

  /// WeChat Pay tells no moment of a repetition: the deadlines count from when the server learned of it.
  private func checkDue(_ row: Complaint, _ truth: SimulatedComplaint, journal: [JournalEntry]) {
    let entries = journal.filter { (try? JSONReader.read($0.details.utf8))?["complaint"]?.string == row.id }
    let opened = entries.first { $0.what == JournalEvent.complaintOpened.name }?.at
    let again = truth.steps.last { $0.kind == "USER_CONTINUE_COMPLAINT" }?.time
    guard row.isOpen, let opened, let again, opened < again else { return }
    events.mark(.complainedAgain)
    if row.begunAt < again || row.answerDue == nil && row.answeredAt.map({ $0 < again }) ?? false {
      events.reportViolation("the complaint \(row.id) was repeated at \(again.iso8601), and is due by what was before")
    }
    if !entries.contains(where: { $0.what == JournalEvent.complaintRepeated.name }) {
      events.reportViolation("the complaint \(row.id) was repeated, and no operator was told")
    }
  }

  /// Checks that customers read each answer at most once, and whatever the server called taken.
  private func checkAnswers() {
    let read = records.weChatComplaints.flatMap(\.steps).filter { $0.kind == "MERCHANT_RESPONSE" }.map(\.text)
    var counts = Dictionary(read.map { ($0, 1) }, uniquingKeysWith: +)
    for answer in context.complaints.answers {
      let count = counts.removeValue(forKey: answer.text) ?? 0
      if count > 1 { events.reportViolation("a customer reads \(answer.text) \(count) times") }
      if answer.isTaken, count == 0 { events.reportViolation("\(answer.text) counts as taken, and nobody reads it") }
    }
    for text in counts.keys.sorted() { events.reportViolation("a customer reads what no operator wrote: \(text)") }
  }
}
