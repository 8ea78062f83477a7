public import Counterfoil
public import PaymentPrimitives
import Synchronization

/// The WeChat app of a device, controlled by a test: the customer's actions in it, and its responses to the app.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class ScriptedWeChat: WeChatApp {
  /// What happens after WeChat was opened once.
  public struct Visit: Sendable {
    /// When the customer pays, counted from the opening; nil: they do not pay.
    public var pays: TimeSpan?
    /// When WeChat calls the app back, and with which number; nil: never.
    public var responds: (after: TimeSpan, errCode: Int)?
    /// How often it calls back.
    public var times = 1
    /// Whether the response names the payment that it answers, as under Android.
    public var namesOrder = false
    /// The OpenSDK reports that WeChat was not opened.
    public var failure: WeChatFailure?
    /// The call that opens WeChat never returns.
    public var hangs = false

    /// A visit; by default the customer pays after three seconds, and WeChat reports it a second later.
    public init(
      pays: TimeSpan? = .seconds(3), responds: (after: TimeSpan, errCode: Int)? = (.seconds(4), 0)
    ) {
      self.pays = pays
      self.responds = responds
    }
  }

  private struct State {
    var visits: [Visit] = []
    var isInstalled = true
    var requests: [WeChatPayRequest] = []
    var listener: AsyncStream<WeChatResponse>.Continuation?
    var waiting: [WeChatResponse] = []
  }

  private let state = Mutex(State())
  private let clock: ManualClock
  private let backend: ScriptedBackend
  /// The app id that the OpenSDK was registered with.
  public let appId: String

  /// WeChat on a device; payments in it go to that backend's WeChat Pay.
  public init(clock: ManualClock, backend: ScriptedBackend, appId: String = "wx0000000000000001") {
    self.clock = clock
    self.backend = backend
    self.appId = appId
  }

  /// Sets the next visits, one after the other; in a visit without a setting the customer pays.
  public func next(_ visits: Visit...) { state.withLock { $0.visits += visits } }
  /// Sets whether WeChat is installed.
  public func install(_ isInstalled: Bool) { state.withLock { $0.isInstalled = isInstalled } }
  /// The requests that WeChat received.
  public var requests: [WeChatPayRequest] { state.withLock { $0.requests } }
  /// Ends the app's process: responses are kept for the next one, like a link that begins a process.
  public func processDied() { state.withLock { $0.listener = nil } }
  /// WeChat calls the app back.
  public func respond(_ response: WeChatResponse) {
    state.withLock { state in
      guard let listener = state.listener else {
        state.waiting.append(response)
        return
      }
      listener.yield(response)
    }
  }

  /// Whether WeChat is installed, as the test has set it.
  public func isInstalled() async -> Bool {
    await Task.yield()
    return state.withLock { $0.isInstalled }
  }

  /// Opens WeChat, and runs the next visit that the test has set.
  public func open(_ request: WeChatPayRequest) async throws(WeChatFailure) {
    await Task.yield()
    let visit = state.withLock { state in
      state.requests.append(request)
      return state.visits.isEmpty ? Visit() : state.visits.removeFirst()
    }
    if let failure = visit.failure { throw failure }
    if let pays = visit.pays, let order = request.extData.flatMap({ OrderIdentifier($0) }) {
      clock.after(pays) { self.backend.payAtWeChat(order) }
    }
    if let responds = visit.responds {
      let response = WeChatResponse(
        errCode: responds.errCode, prepayId: visit.namesOrder ? request.prepayId : nil,
        extData: visit.namesOrder ? request.extData : nil)
      clock.after(responds.after) { for _ in 0..<visit.times { self.respond(response) } }
    }
    await Task.yield()
    if visit.hangs { for await _ in AsyncStream<Void>.makeStream().stream {} }
  }

  /// WeChat's responses from now on, and those that came without a listener.
  public func responses() async -> AsyncStream<WeChatResponse> {
    let (stream, continuation) = AsyncStream.makeStream(of: WeChatResponse.self)
    state.withLock { state in
      state.listener = continuation
      for response in state.waiting { continuation.yield(response) }
      state.waiting = []
    }
    return stream
  }
}
