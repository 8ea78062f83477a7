import HTTPMessages
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol
import WeChatPaySimulator

/// Customers who complain at WeChat Pay, withdraw it and complain again. Meanwhile operators answer and end complaints,
/// and servers are killed under them.
struct CustomerComplaints: Sendable {
  let context: SimulationContext
  let weChatPay: WorldWeChatPay
  let servers: [WorldServer]
  let restarts: ServerRestarts

  private static let questionsMax = 4

  private var notes: WorldComplaints { context.complaints }

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<context.plan.bookkeeping.complaints {
        group.addTask { try await complain(number) }
      }
      try await group.waitForAll()
    }
  }

  // MARK: customers

  private func complain(_ number: Int) async throws {
    var chance = SeededChance(seed: context.seed, purpose: "complaint \(number)")
    try await context.sleep(.seconds(Int64(60 + chance.number(below: 600))))
    let paid = try await weChatPay.insist { await $0.orders() }.filter { $0.paidAt != nil }
    guard let order = chance.pick(paid) else { return }
    let refund: Int64? = chance.happens(perMille: 300) ? order.total : nil
    let id = try await weChatPay.insist {
      try await $0.control.complain(about: order.key, "没有到账", refund: refund, at: "http://wechat.one")
    }
    context.events.record("customer", "complains about \(order.outTradeNo): \(id)", mark: .complained)
    let acts = chance.number(below: 4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await goOn(id, number, acts: acts) }
      group.addTask { try await operate(id, number) }
      try await group.waitForAll()
    }
  }

  private func goOn(_ id: String, _ number: Int, acts: Int) async throws {
    var chance = SeededChance(seed: context.seed, purpose: "what follows complaint \(number)")
    for _ in 0..<acts {
      try await context.sleep(.seconds(Int64(chance.number(below: 150))))
      let isAgain = chance.happens(perMille: 600)
      context.events.record("customer", isAgain ? "complains again: \(id)" : "withdraws \(id)")
      try await weChatPay.insist { service in
        if isAgain {
          try await service.control.complainAgain(id, "还是没有")
        } else {
          try await service.control.withdrawComplaint(id)
        }
      }
    }
  }

  /// After all faults have ended, some customers complain once more.
  func settle() async throws {
    guard context.plan.bookkeeping.complaints > 0, !context.plan.weChat.phones.isEmpty else { return }
    var chance = SeededChance(seed: context.seed, purpose: "the last complaints")
    for complaint in try await weChatPay.insist({ await $0.complaints() }) where chance.happens(perMille: 500) {
      try await context.sleep(.minutes(1))
      let id = complaint.facts.id
      context.events.record("customer", "complains again: \(id)")
      try await weChatPay.insist { try await $0.control.complainAgain(id, "还是没有") }
    }
  }

  // MARK: operators

  private func operate(_ id: String, _ number: Int) async throws {
    var chance = SeededChance(seed: context.seed, purpose: "operators at complaint \(number)")
    for press in 0..<(1 + chance.number(below: 4)) {
      try await context.sleep(.seconds(Int64(chance.number(below: 120))))
      let isEnd = chance.happens(perMille: 300)
      let isTwice = chance.happens(perMille: 400)
      let isKilled = chance.happens(perMille: 300)
      let (server, step) = (chance.number(below: servers.count), 1 + chance.number(below: 60))
      // The complaint may not have been learned yet.
      guard let talk = try await ask("GET", id)?["talk"]?.string else { continue }
      let text = isEnd ? nil : "answer \(number).\(press)"
      if let text { notes.want(text) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        if isKilled { group.addTask { try await restarts.kill(servers[server], after: step) } }
        for _ in 0..<(isTwice ? 2 : 1) {
          group.addTask {
            if let text { try await answer(id, with: text, at: talk) } else { try await end(id) }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  private func answer(_ id: String, with text: String, at talk: String) async throws {
    let body = JSONValue.members([("text", .string(text)), ("talk", .string(talk)), ("reason", "a complaint")])
    guard try await ask("POST", id + "/answer", body: body) != nil else { return }
    notes.noteTaken(text)
    context.events.record("operator", "answers \(id): \(text)", mark: .complaintAnswered)
  }

  private func end(_ id: String) async throws {
    guard try await ask("POST", id + "/complete", body: .members([("reason", "a complaint")])) != nil else { return }
    context.events.record("operator", "ends \(id)")
  }

  /// Asks a few times until there is an answer; always the same.
  ///
  /// - Returns: the complaint; nil if it was refused, or without an answer.
  private func ask(_ method: String, _ path: String, body: JSONValue? = nil) async throws -> JSONValue? {
    let request = HTTPRequest(
      method, WorldShop.serverURL + "/v1/operator/complaints/\(path)",
      fields: ["Authorization": "Bearer \(WorldShop.operatorKey)", "Content-Type": "application/json"],
      body: body?.bytes ?? [])
    for _ in 0..<Self.questionsMax {
      let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20))
      if let answer, answer.status < 500 { return told(answer, "\(method) \(path)") }
      try await context.sleep(.seconds(4))
    }
    return nil
  }

  private func told(_ answer: HTTPResponse, _ what: String) -> JSONValue? {
    let body = try? JSONReader.read(answer.body)
    guard answer.status != 200 else { return body }
    let code = body?["code"]?.string ?? "\(answer.status)"
    context.events.record("operator", "is refused \(what): \(code)")
    if !["complaint_unknown", "complaint_not_changed", "complaint_outcome_unknown"].contains(code) {
      context.events.reportViolation("\(what) is refused: \(code)")
    }
    return nil
  }
}
