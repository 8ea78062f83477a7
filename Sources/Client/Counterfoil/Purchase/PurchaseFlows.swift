import PaymentPrimitives

/// The running calls of `purchase`, by their numbers.
final class PurchaseFlows {
  private let claims: RecordClaims
  private var flows: [Int: PurchaseFlow] = [:]
  private var lastNumber = 0

  init(claims: RecordClaims) { self.claims = claims }

  /// The flow with that number; nil once it has ended.
  subscript(_ number: Int) -> PurchaseFlow? {
    get { flows[number] }
    set { flows[number] = newValue }
  }

  /// All flows, the oldest first.
  var oldestFirst: [(number: Int, flow: PurchaseFlow)] {
    flows.sorted { $0.key < $1.key }.map { (number: $0.key, flow: $0.value) }
  }

  /// The flow that works on a record.
  func flow(of record: RecordIdentifier) -> (number: Int, flow: PurchaseFlow)? {
    flows.first { $0.value.record == record }.map { (number: $0.key, flow: $0.value) }
  }

  func contains(where matches: (PurchaseFlow) -> Bool) -> Bool { flows.values.contains(where: matches) }

  func add(_ flow: PurchaseFlow) -> Int {
    lastNumber += 1
    flows[lastNumber] = flow
    return lastNumber
  }

  /// Gives the caller the result. Only the first result counts.
  func decide(_ number: Int, _ result: Result<PurchaseOutcome, PurchasingError>) {
    guard flows[number]?.isDecided == false else { return }
    flows[number]?.isDecided = true
    // A caller with a result may tap again at once, so the record must be free by then.
    release(number)
    flows[number]?.outcome.resolve(result)
    flows[number]?.decided.resolve(())
  }

  /// Ends a flow; a caller that still waits gets what is known so far.
  func end(_ number: Int) {
    guard let flow = flows[number] else { return }
    if let order = flow.order {
      decide(number, .success(.awaitingConfirmation(order.id)))
    } else {
      // Stopped, or out of time before there was a sheet.
      decide(number, .failure(PurchasingError(.serverUnreachable, "The time was over before the payment.")))
    }
    flows[number] = nil
  }

  /// Another user signs in, or nobody: no one waits any longer for what the former user bought. An order whose sheet
  /// opened stays with that user, and is completed; before the sheet nothing opens any more.
  func endWaits(besides user: UserIdentifier?) {
    for (number, flow) in oldestFirst where flow.user != user && !flow.isDecided {
      if let order = flow.order {
        decide(number, .success(.awaitingConfirmation(order.id)))
      } else {
        flows[number]?.stage = .abandoned
        decide(number, .failure(PurchasingError(.userDiffers, "Another user signed in before the payment.")))
      }
    }
  }

  func endAll() {
    for number in flows.keys.sorted() { end(number) }
  }

  /// Lets other tasks work on the record of a flow.
  func release(_ number: Int) {
    if let record = flows[number]?.record { claims.release(record) }
    flows[number]?.record = nil
  }

  /// The caller stopped waiting. Before the sheet this abandons the purchase; afterwards it has no effect.
  func callerWentAway(_ number: Int) throws(PurchasingError) -> PurchaseOutcome {
    guard let order = flows[number]?.order else {
      flows[number]?.stage = .abandoned
      throw PurchasingError(.purchaseAbandoned)
    }
    return .awaitingConfirmation(order.id)
  }

  /// Handles a probable return of the customer from WeChat. Signs after the first are merged into it.
  func customerIsBack(_ number: Int, code: Int? = nil) {
    guard flows[number]?.isWaitingForWeChat == true else { return }
    if flows[number]?.weChatCode == nil { flows[number]?.weChatCode = code }
    flows[number]?.isBack = true
    flows[number]?.returned?.resolve(())
  }
}
