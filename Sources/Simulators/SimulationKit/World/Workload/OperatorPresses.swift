import Console
import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Operators who press buttons in the console, twice, while servers are killed under them.
struct OperatorPresses: Sendable {
  let context: SimulationContext
  let database: WorldDatabase
  let backend: WorldBackend
  let servers: [WorldServer]
  let restarts: ServerRestarts
  let claims: ConsoleClaims

  private static let questionsMax = 4
  /// What one operator may refund, in fen: low enough for worlds to pass it.
  static let refundMax: Int64 = 150

  private var book: WorldOperators { context.operators }
  private var accounts: [WorldOperators.Account] { WorldOperators.Account.all }
  private var environment: String { context.appEnvironment.environment.rawValue }

  /// The kinds of presses.
  private enum Kind: CaseIterable {
    case note, redrive, close, pause, refund, setAside, credit, assign, retry
  }

  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "operators")
    var claimChance = SeededChance(seed: context.seed, purpose: "operators' claims")
    var kills = context.plan.bookkeeping.killsOfPresses
    let planned = context.plan.bookkeeping.presses
    for number in 0..<(planned + claims.furtherTurns) {
      try await context.sleep(.seconds(Int64(20 + chance.number(below: 200))))
      var chosen = try await claims.choose(number, by: &claimChance)
      if chosen == nil, number < planned, let kind = chance.pick(Kind.allCases) {
        chosen = try await choose(kind, number, by: &chance)
      }
      guard let press = chosen else { continue }
      let isClaim = press.claimed != nil
      // Claims are rare, so their kills are more than the planned ones.
      let isKilled = isClaim ? claimChance.happens(perMille: 600) : kills > 0 && chance.happens(perMille: 500)
      if isKilled, !isClaim { kills -= 1 }
      let (server, step) = (chance.number(below: servers.count), 1 + chance.number(below: 60))
      let isTwice = chance.happens(perMille: 400)
      let presses = [press] + claims.rivals(of: press, by: &claimChance)
      for press in presses { book.want(press) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        if isKilled { group.addTask { try await restarts.kill(servers[server], after: step) } }
        for press in presses {
          for _ in 0..<(isTwice ? 2 : 1) { group.addTask { try await ask(press) } }
        }
        try await group.waitForAll()
      }
      try await follow(press, &chance)
    }
  }

  // MARK: what is pressed

  private func choose(
    _ kind: Kind, _ number: Int, by chance: inout SeededChance
  ) async throws -> WorldOperators.Press? {
    let account = accounts[chance.number(below: accounts.count)]
    let id = String(("press\(number)-" + String(repeating: "0", count: 32)).prefix(32))
    func press(_ path: String, _ action: ConsoleAction, with fields: [String: String] = [:]) -> WorldOperators.Press {
      WorldOperators.Press(
        id: id, account: account, path: path + "/" + action.rawValue, action: action.entry,
        reason: "reason of \(id)", fields: fields)
    }
    let place = context.appEnvironment
    switch kind {
    case .note, .close:
      var query = OrderQuery(appEnvironment: place, limit: 100)
      query.user = nil
      let asked = query
      let orders = try await reading { try $0.orders(asked) }
      let suitable = kind == .note ? orders : orders.filter { $0.state == .awaitingPayment }
      return chance.pick(suitable).map {
        press("orders/\(environment)/\($0.key.id)", kind == .note ? .note : .closeOrder)
      }
    case .redrive:
      let query = DeliveryQuery(appEnvironment: place, selection: .pending, limit: 20)
      return chance.pick(try await reading { try $0.deliveries(query) }).map { press("deliveries/\($0.id)", .redrive) }
    case .pause: return press("endpoints/backend", .pauseEndpoint)
    case .refund:
      let query = PaymentQuery(appEnvironment: place, charges: true, limit: 20)
      let yuan = chance.happens(perMille: 500) ? ["amount": "0.\(10 + chance.number(below: 90))"] : [:]
      return chance.pick(try await reading { try $0.payments(query) }).map {
        press(WorldOperators.Press.path(of: $0.key), .refund, with: yuan)
      }
    case .setAside, .retry:
      let waiting = try await waitingPayments()
      return chance.pick(waiting).map {
        press(WorldOperators.Press.path(of: $0), kind == .retry ? .retry : .setAside)
      }
    case .credit:
      guard context.plan.bookkeeping.credits > 0,
        let user = chance.pick(Set(context.plan.phones.flatMap(\.users)).sorted())
      else { return nil }
      let units = "\([5, 20, 45][chance.number(below: 3)])"
      return press("users/\(environment)/\(user)/coin", .creditBalance, with: ["units": units])
    case .assign:
      guard let item = chance.pick(try await queue()) else { return nil }
      return press(
        "needs-attention/\(environment)/\(RequestTarget.encode(item))", .assign, with: ["assignee": account.name.text])
    }
  }

  private func reading<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await database.read(in: context, body)
  }

  private func waitingPayments() async throws -> [PaymentKey] {
    let place = context.appEnvironment
    return try await reading { reader in
      try ["held", "unclaimed"].flatMap {
        try reader.payments(inState: $0, firstSeenBefore: Timestamp(milliseconds: .max), in: place, limit: 20)
      }.map(\.key)
    }
  }

  /// The names of what needs attention, as a server answers them.
  private func queue() async throws -> [String] {
    let request = HTTPRequest(
      "GET", WorldShop.serverURL + "/v1/operator/queue?limit=50",
      fields: ["Authorization": "Bearer \(WorldShop.operatorKey)"])
    guard let answer = try? await context.exchange(from: .backend, to: .server).send(request, .seconds(20)),
      let items = (try? JSONReader.read(answer.body))?["items"]?.array
    else { return [] }
    return items.filter { $0["environment"]?.string == environment }.compactMap { $0["itemId"]?.string }
  }

  // MARK: what follows

  /// What an operator does after a press: another one approves it, the first one tries to; a pause and a payment that
  /// was set aside do not stay.
  private func follow(_ press: WorldOperators.Press, _ chance: inout SeededChance) async throws {
    guard case .notice(let notice)? = book.answer(of: press) else { return }
    if press.action == ConsoleAction.pauseEndpoint.entry {
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 60))))
      return try await send(second(of: press, "resume", .resumeEndpoint, at: "endpoints/backend"))
    }
    guard notice == "asked" || notice == "repeated" else { return }
    let approves = chance.happens(perMille: 850)
    try await approve(press, approves: approves, isTwice: chance.happens(perMille: 500))
    guard press.action == ConsoleAction.setAside.entry else { return }
    try await context.sleep(.seconds(Int64(5 + chance.number(below: 60))))
    try await release(press)
  }

  private func second(
    of press: WorldOperators.Press, _ word: String, _ action: ConsoleAction, at path: String
  ) -> WorldOperators.Press {
    WorldOperators.Press(
      id: String((word + press.id).prefix(32)), account: press.account, path: path + "/" + action.rawValue,
      action: action.entry, reason: "\(word) after \(press.id)")
  }

  private func release(_ press: WorldOperators.Press) async throws {
    let path = String(press.path.dropLast("/set-aside".count))
    try await send(second(of: press, "release", .release, at: path))
  }

  private func send(_ press: WorldOperators.Press) async throws {
    guard !book.presses.contains(where: { $0.id == press.id }) else { return }
    book.want(press)
    try await ask(press)
  }

  /// The asker may not approve. Another operator does, perhaps with two presses of one button at the same moment.
  private func approve(_ press: WorldOperators.Press, approves: Bool, isTwice: Bool) async throws {
    let id = press.askedApproval
    guard let approval = try await reading({ try $0.approval(id) }) else { return }
    for account in [press.account] + accounts.filter({ $0 != press.account }) {
      let isAsker = account == press.account
      let word = isAsker || approves ? "approve" : "refuse"
      var decision = WorldOperators.Press(
        id: String((account.name.text + press.id).prefix(32)), account: account, path: "approvals/\(id)/\(word)",
        action: "approval.\(word)", reason: "decided about \(press.id)", fields: ["digest": approval.digest])
      decision.approval = id
      let asked = decision
      book.want(asked)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<(isTwice ? 2 : 1) { group.addTask { try await ask(asked) } }
        try await group.waitForAll()
      }
      // A second press is told that the first one was refused, by the notice of a repetition.
      if isAsker, case .notice("done")? = book.answer(of: asked) {
        context.events.reportViolation("\(account.name) approved what they asked for: \(press.action)")
      }
    }
  }

  // MARK: the console

  /// Sends a press until there is a final answer.
  private func ask(_ press: WorldOperators.Press) async throws {
    for _ in 0..<Self.questionsMax {
      let answer = try? await context.exchange(from: .backend, to: .console).send(request(press), .seconds(20))
      if let answer, answer.status < 500 { return take(answer, of: press) }
      try await context.sleep(.seconds(4))
    }
    context.events.record(press.account.name.text, "does not know what became of \(press.action)")
  }

  private func request(_ press: WorldOperators.Press) -> HTTPRequest {
    let fields =
      press.fields.sorted { $0.key < $1.key } + [
        (key: "token", value: Console.formToken(of: press.account.token)), (key: "press", value: press.id),
        (key: "reason", value: press.reason),
      ]
    let body = fields.map { RequestTarget.encode($0.key) + "=" + RequestTarget.encode($0.value) }.joined(separator: "&")
    return HTTPRequest(
      "POST", WorldShop.serverURL + "/console/app/\(WorldShop.id)/\(press.path)",
      fields: [
        "Cookie": "__Host-counterfoil=\(press.account.token)", "Origin": WorldShop.serverURL,
        "Content-Type": "application/x-www-form-urlencoded",
      ], body: Array(body.utf8))
  }

  private func take(_ answer: HTTPResponse, of press: WorldOperators.Press) {
    let who = press.account.name.text
    let location = answer.fields["Location"] ?? ""
    if answer.status == 303, let notice = location.split(separator: "=").last, location.contains("notice=") {
      context.events.record(who, "presses \(press.action): \(notice)", mark: Self.mark(of: press, String(notice)))
      return book.note(.notice(String(notice)), of: press)
    }
    context.events.record(who, "presses \(press.action): \(answer.status)")
    guard answer.status == 409 || answer.status == 404 else {
      return context.events.reportViolation(
        "the press of \(press.action) is answered \(answer.status) \(location)")
    }
    book.note(.refused(answer.status), of: press)
  }

  private static func mark(of press: WorldOperators.Press, _ notice: String) -> CoverageMark {
    if notice == "repeated" { return .operatorRepeated }
    return press.approval == nil ? .operatorPressed : .operatorApproved
  }

  // MARK: the end

  /// After all faults have ended, the operators repeat every press without an answer, and leave nothing paused or set
  /// aside.
  func settle() async throws {
    guard context.plan.bookkeeping.presses > 0 else { return }
    try await context.sleep(.minutes(1))
    for press in book.presses where press.answer == nil { try await ask(press) }
    for press in book.presses where press.action == ConsoleAction.pauseEndpoint.entry {
      try await send(second(of: press, "resume", .resumeEndpoint, at: "endpoints/backend"))
    }
    for press in book.presses where press.action == ConsoleAction.setAside.entry {
      let (id, asks) = (press.askedApproval, press.answer.map { $0 != .refused(409) } ?? false)
      let approval = try await reading { try $0.approval(id) }
      // One that was asked for, and that nobody has decided about since a server was killed.
      if asks, approval?.decidedAt == nil { try await decide(press) }
      if try await reading({ try $0.approval(id) })?.state(at: context.world.now) == .done { try await release(press) }
    }
    for press in book.presses where press.action == ConsoleAction.creditBalance.entry { try await noteCredit(press) }
    try await claims.note()
  }

  private func decide(_ press: WorldOperators.Press) async throws {
    guard !book.presses.contains(where: { $0.approval == press.askedApproval }) else { return }
    try await approve(press, approves: true, isTwice: false)
  }

  /// Tells the books of a credit that was approved and done: they hold it against the ledger.
  private func noteCredit(_ press: WorldOperators.Press) async throws {
    let (id, parts) = (press.askedApproval, press.path.split(separator: "/"))
    let approval = try await reading { try $0.approval(id) }
    guard let units = press.fields["units"].flatMap({ Int64($0) }), parts.count > 2,
      approval?.state(at: context.world.now) == .done
    else { return }
    let key = "console:" + id
    backend.gifts.want(
      WalletClient.Debit(key: key, user: UserIdentifier(String(parts[2])), unit: "coin", amount: units))
    backend.gifts.note(.done(at: context.world.now), of: key)
  }
}
