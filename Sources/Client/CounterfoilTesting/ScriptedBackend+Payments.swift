import CounterfoilAPI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension ScriptedBackend {
  // MARK: payments (docs/specification/matching.md, rules 1 to 5, as far as a device can tell them apart)

  func submit(
    _ json: JSONValue, _ caller: UserIdentifier, state: inout State
  ) -> HTTPResponse {
    guard let request = try? SubmitAppStorePayment.Request(json: json), let text = request.evidence else {
      return Self.problem(400, "evidence_missing")
    }
    guard let facts = try? JSONReader.read(Array(text.utf8)), let id = facts["transactionId"]?.string else {
      return Self.problem(400, "evidence_unreadable")
    }
    let transaction = TransactionIdentifier(id)
    if state.verdicts[transaction]?.isEmpty == false, let verdict = state.verdicts[transaction]?.removeFirst() {
      if verdict.finish { state.allowed.insert(transaction) }
      return Self.answer(verdict)
    }
    guard genuine.withLock({ $0 })?(text) == true else {
      return Self.answer(PaymentAnswer(transaction: transaction, verdict: .refused, reason: "notGenuine"))
    }
    return Self.answer(fulfil(transaction, facts, caller: caller, request: request, state: &state))
  }

  private static func answer(_ answer: PaymentAnswer) -> HTTPResponse {
    HTTPResponse(status: 200, json: SubmitAppStorePayment.Response(payments: [answer]).json)
  }

  private func fulfil(
    _ transaction: TransactionIdentifier, _ facts: JSONValue, caller: UserIdentifier,
    request: SubmitAppStorePayment.Request?, state: inout State
  ) -> PaymentAnswer {
    var isFirst = false
    if !state.grants.contains(where: { $0.transaction == transaction }) {
      isFirst = true
      switch owner(facts, caller, request: request, state: &state) {
      case .unclaimed: return PaymentAnswer(transaction: transaction, verdict: .unclaimed)
      case .held(let reason):
        state.allowed.insert(transaction)
        return PaymentAnswer(transaction: transaction, verdict: .held, reason: reason)
      case .order(let id):
        guard let order = state.orders[id] else { break }
        state.orders[id]?.body.state = .paid
        state.orders[id]?.body.paidAt = clock.now
        tellBackend(id, &state)
        state.grants.append(
          Grant(
            transaction: transaction, user: order.body.user,
            product: StoreProductIdentifier(facts["productId"]?.string ?? ""),
            quantity: Int(facts["quantity"]?.integer ?? 1), order: id))
      }
    }
    guard let grant = state.grants.first(where: { $0.transaction == transaction }) else {
      return PaymentAnswer(transaction: transaction, verdict: .pending)
    }
    let isOwner = grant.user == caller
    var answer = PaymentAnswer(transaction: transaction, verdict: isOwner ? .fulfilled : .fulfilledForAnother)
    answer.order = isOwner ? grant.order : nil
    answer.product = grant.product
    answer.firstSeen = isFirst
    return answer
  }

  private enum Owner {
    case order(OrderIdentifier)
    case held(String)
    case unclaimed
  }

  private func owner(
    _ facts: JSONValue, _ caller: UserIdentifier, request: SubmitAppStorePayment.Request?,
    state: inout State
  ) -> Owner {
    let product = facts["productId"]?.string ?? ""
    let quantity = Int(facts["quantity"]?.integer ?? 1)
    let date = facts["purchaseDate"]?.string.flatMap { Timestamp(iso8601: $0) } ?? clock.now
    func isCandidate(_ body: OrderBody) -> Bool {
      body.state != .paid && body.appStore?.product.text == product && body.quantity == quantity
        && date >= body.createdAt - .minutes(5) && date <= body.createdAt + .days(30)
    }
    func derived(for user: UserIdentifier, from: OrderIdentifier?) -> Owner {
      var body = makeOrder(ProductIdentifier(String(product.dropFirst(12))), quantity, user: user, state: &state)
      body.derivedFrom = from
      state.orders[body.id] = Order(body: body, key: "", request: .null)
      return .order(body.id)
    }
    // (1) exact
    if let token = facts["appAccountToken"]?.string.flatMap({ OrderIdentifier($0) }), let named = state.orders[token] {
      return isCandidate(named.body) ? .order(token) : derived(for: named.body.user, from: token)
    }
    guard caller.text != "", let request else { return .unclaimed }
    // (2) presented
    var presented = request.orders.compactMap { state.orders[$0]?.body }.filter(isCandidate)
    if Set(presented.map(\.user)).count > 1 {
      presented = presented.filter { $0.id == request.sameRun }
      if presented.isEmpty { return .held("ownerAmbiguous") }
    }
    if presented.isEmpty {
      // (3) inferred
      presented = state.orders.values.map(\.body).filter { $0.user == caller && isCandidate($0) }
    }
    let byAge = presented.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    guard let order = byAge.last(where: { $0.createdAt <= date }) ?? byAge.first else {
      return derived(for: caller, from: nil)  // (4)
    }
    return .order(order.id)
  }

  /// Processes Apple's own notification of a charge: rule (1) or nothing.
  public func notify(_ charge: ScriptedAppStore.Charge) {
    state.withLock { state in
      guard let facts = try? JSONReader.read(Array(charge.evidence.utf8)) else { return }
      _ = fulfil(charge.id, facts, caller: UserIdentifier(""), request: nil, state: &state)
    }
  }
}
