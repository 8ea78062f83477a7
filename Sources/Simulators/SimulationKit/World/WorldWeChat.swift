import Counterfoil
import PaymentPrimitives
import StrictJSON
import Synchronization
import WeChatPaySimulator

/// WeChat on one phone, with its user: it survives every process of the app.
final class WorldWeChat: Sendable {
  private struct State {
    var listeners: [AsyncStream<WeChatResponse>.Continuation] = []
    /// The responses that the app gets at its next start, with the link that starts it.
    var kept: [WeChatResponse] = []
    var chance: SeededChance
    var open = 0
    /// What the customer does on each visit; after the last entry, chance decides.
    var script: [WeChatVisitScript] = []
    /// How often the script opened the cashier of WeChat Pay for an order, and how often the app was told a result.
    var cashiers = 0
    var results = 0
    /// Called when the customer is back in the app and the app may notice.
    var comesBack: @Sendable () -> Void = {}
  }

  private enum Callback { case delivered, lost, late(TimeSpan), atNextStart }

  private let number: Int
  private let context: SimulationContext
  private let weChatPay: WorldWeChatPay
  private let process: SimulatedProcess
  private let state: Mutex<State>

  init(_ number: Int, _ context: SimulationContext, weChatPay: WorldWeChatPay) {
    self.number = number
    self.context = context
    self.weChatPay = weChatPay
    process = context.process("phone \(number)'s WeChat")
    state = Mutex(State(chance: SeededChance(seed: context.seed, purpose: "WeChat \(number)")))
  }

  /// Sets what the customer does on the next visits.
  func will(_ visits: [WeChatVisitScript]) { state.withLock { $0.script += visits } }

  private var plan: WeChatPlan { context.plan.weChat }
  private func record(_ what: String, _ mark: CoverageMark? = nil) {
    context.events.record("phone \(number)", what, mark: mark)
  }

  /// Sets what happens when the customer comes back from WeChat and the app notices.
  func whenBack(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.comesBack = action } }

  var isOpen: Bool { state.withLock { $0.open > 0 } }

  /// How often the script opened the cashier of WeChat Pay for an order.
  var cashiersOpened: Int { state.withLock { $0.cashiers } }

  /// How often the app was told a result.
  var resultsTold: Int { state.withLock { $0.results } }

  /// The app's process is gone, and its listeners with it.
  func appWasKilled() { state.withLock { $0.listeners = [] } }

  // MARK: the app's OpenSDK

  func responses() -> AsyncStream<WeChatResponse> {
    let (stream, continuation) = AsyncStream.makeStream(of: WeChatResponse.self)
    let kept = state.withLock { state in
      state.listeners.append(continuation)
      defer { state.kept = [] }
      return state.kept
    }
    for response in kept {
      record("WeChat's answer comes with the start of the app", .weChatCallbackAtNextStart)
      continuation.yield(response)
    }
    return stream
  }

  func open(_ request: WeChatPayRequest) throws(WeChatFailure) {
    let (isToldNo, opensAllTheSame) = state.withLock { state in
      (state.chance.happens(perMille: plan.notOpened), state.chance.happens(perMille: 400))
    }
    if !isToldNo || opensAllTheSame {
      state.withLock { $0.open += 1 }
      process.spawn { [self] in
        await visit(request)
        state.withLock { $0.open -= 1 }
      }
    }
    if isToldNo {
      record("the OpenSDK says that WeChat was not opened", .weChatNotOpened)
      throw WeChatFailure(explanation: "it was not opened, says the OpenSDK")
    }
  }

  // MARK: the customer

  private func visit(_ request: WeChatPayRequest) async {
    let script = state.withLock { $0.script.isEmpty ? nil : $0.script.removeFirst() }
    if let script { return await visit(request, script) }
    let (action, thinking, patience) = state.withLock { state in
      (
        Self.action(&state.chance), TimeSpan.milliseconds(Int64(500 + state.chance.number(below: 30_000))),
        1 + state.chance.number(below: 3)
      )
    }
    try? await process.dependencies().sleep(thinking)
    guard let handOver = try? CashierVisit.AppHandOver(request.json) else {
      return context.events.reportViolation("what phone \(number) hands to WeChat cannot be read")
    }
    for _ in 0..<patience {
      guard let result = await ask(.app(handOver), action) else { continue }
      record("the customer in WeChat: \(action), the app is told \(result.errCode.map(String.init) ?? "nothing")")
      if let reason = result.reason { record("WeChat's cashier refuses: \(reason.rawValue)", .weChatCashierRefused) }
      return await returned(result.errCode, request)
    }
    record("WeChat cannot reach its own servers")
    await returned(-1, request)
  }

  private func visit(_ request: WeChatPayRequest, _ script: WeChatVisitScript) async {
    try? await process.dependencies().sleep(script.thinking)
    guard script.stop == .cashier else {
      if script.isNoticed { state.withLock { $0.comesBack }() }
      return
    }
    guard let handOver = try? CashierVisit.AppHandOver(request.json) else {
      return context.events.reportViolation("what phone \(number) hands to WeChat cannot be read")
    }
    if let span = script.staysOpenFor {
      state.withLock { $0.comesBack }()
      try? await process.dependencies().sleep(span)
    }
    let result = await ask(.app(handOver), script.action)
    if result?.order != nil { state.withLock { $0.cashiers += 1 } }
    if script.isNoticed { state.withLock { $0.comesBack }() }
    guard script.isTold, let code = result?.errCode else { return }
    deliver(WeChatResponse(errCode: code, prepayId: request.prepayId, extData: request.extData))
  }

  private func ask(_ visit: CashierVisit, _ action: CashierAction) async -> CashierResult? {
    let openid = "o-\(number)"
    let weChatPay = weChatPay
    let answer = try? await context.network.carry(
      "opens the cashier", from: .phone(number), to: .weChatPay, limit: .seconds(20), mayRepeat: false
    ) {
      weChatPay.attendance { try? await $0.cashier.visit(visit, openid: openid, action) }
    }
    return answer ?? nil
  }

  private static func action(_ chance: inout SeededChance) -> CashierAction {
    switch chance.number(below: 100) {
    case 0..<45: .pay
    case 45..<60: .payAndLeave
    case 60..<70: .cancel
    case 70..<78: .leave
    case 78..<95:
      .payLater(.seconds(Int64(1 + chance.number(below: 600))), winsOverClose: chance.happens(perMille: 500))
    default: .fail
    }
  }

  private func returned(_ code: Int?, _ request: WeChatPayRequest) async {
    let (isNoticed, comesBack) = state.withLock { ($0.chance.happens(perMille: 600), $0.comesBack) }
    if isNoticed { comesBack() }
    guard let code else { return context.events.mark(.weChatCallbackAbsent) }
    let response = WeChatResponse(errCode: code, prepayId: request.prepayId, extData: request.extData)
    switch state.withLock({ Self.callback(&$0.chance, context.plan.weChat) }) {
    case .delivered: deliver(response)
    case .lost: record("WeChat's answer is lost", .weChatCallbackLost)
    case .late(let span):
      try? await process.dependencies().sleep(span)
      record("WeChat's answer comes late", .weChatCallbackLate)
      deliver(response)
    case .atNextStart: state.withLock { $0.kept.append(response) }
    }
  }

  private static func callback(_ chance: inout SeededChance, _ plan: WeChatPlan) -> Callback {
    if chance.happens(perMille: plan.callbackLost) { return .lost }
    guard chance.happens(perMille: plan.callbackLate) else { return .delivered }
    return chance.happens(perMille: 500) ? .late(.seconds(Int64(1 + chance.number(below: 200)))) : .atNextStart
  }

  /// Sends the app a response now; sometimes WeChat sends it twice.
  private func deliver(_ response: WeChatResponse) {
    let (listeners, isDoubled) = state.withLock { state in
      state.results += 1
      return (state.listeners, state.chance.happens(perMille: 100))
    }
    for listener in listeners {
      listener.yield(response)
      if isDoubled { listener.yield(response) }
    }
  }
}

/// How far a customer gets on the way to WeChat's cashier.
enum WeChatStop: Sendable {
  /// The system asks which of two WeChat apps to open, and the customer chooses none.
  case chooser
  /// WeChat requires a login.
  case login
  case cashier
}

/// One visit to WeChat with a fixed course.
struct WeChatVisitScript: Sendable {
  /// How far the customer gets; before the cashier no action is possible.
  var stop = WeChatStop.cashier
  var action: CashierAction
  /// How long the customer does nothing.
  var thinking = TimeSpan.seconds(4)
  /// How long the cashier stays open in the background after the customer returned to the app without acting.
  var staysOpenFor: TimeSpan?
  /// Whether the app notices that the customer is back.
  var isNoticed = true
  /// Whether WeChat's response reaches the app.
  var isTold = true
}

/// WeChat as one run of the app sees it.
struct WorldWeChatApp: WeChatApp {
  let phone: WorldPhone
  let weChat: WorldWeChat

  var appId: String { WorldShop.weChatAppId }

  func isInstalled() async -> Bool { true }

  func open(_ request: WeChatPayRequest) async throws(WeChatFailure) {
    phone.opensWeChat(request)
    try weChat.open(request)
  }

  func responses() async -> AsyncStream<WeChatResponse> { weChat.responses() }
}

extension WeChatPayRequest {
  fileprivate var json: JSONValue {
    .members([
      ("appId", .string(appId)), ("partnerId", .string(partnerId)), ("prepayId", .string(prepayId)),
      ("packageValue", .string(packageValue)), ("nonceStr", .string(nonceStr)),
      ("timeStamp", .integer(Int64(timeStamp))), ("sign", .string(sign)),
    ])
  }
}
