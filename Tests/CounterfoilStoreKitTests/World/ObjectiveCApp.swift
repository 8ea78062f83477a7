import Counterfoil
import CounterfoilStoreKit
import CounterfoilURLSession
import Foundation
import HTTPMessages
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Synchronization
import UIKit

/// The shop's app in Objective-C on a phone: the calls of `Examples/ObjectiveCShop`, made at the same classes. They
/// are made from Swift, because only Apple's systems have Objective-C. `Phone` gives the device alone.
final class ObjectiveCApp {
  let phone: Phone
  private unowned let world: ClientFixture
  private(set) var run: AppRun?
  private(set) var process: SimulatedProcess?
  private(set) var face: ObjectiveCPurchasing?
  private(set) var posted = Posted()
  private var observer: (any NSObjectProtocol)?
  private var user: String?
  /// The app's WeChat, which makes it run in real time.
  var weChat: ObjectiveCWeChat?
  /// The server in place of the world's own.
  var exchange: HTTPExchange?
  /// The lines of its log.
  let lines = Posted()
  /// What the app changes in its settings.
  var configure: (ObjectiveCConfiguration) -> Void = { _ in }

  init(_ phone: Phone, in world: ClientFixture) {
    self.phone = phone
    self.world = world
  }

  /// What the completion of a call got.
  final class Answer<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    var value: Value? { state.withLock { $0 } }
    func end(_ value: Value) { state.withLock { $0 = value } }
  }

  /// The notifications that the app's observer got.
  final class Posted: Sendable {
    private let state = Mutex<[[String: String]]>([])
    var all: [[String: String]] { state.withLock { $0 } }
    var names: [String] { all.compactMap { $0["event"] } }
    func add(_ facts: [String: String]) { state.withLock { $0.append(facts) } }
  }

  /// An error as the app reads it.
  struct Refusal: Sendable, Equatable {
    let code: String
    let text: String
    let reason: String

    init?(_ error: (any Error)?) {
      guard let error = error as NSError? else { return nil }
      code = error.userInfo["code"] as? String ?? ""
      text = error.localizedDescription
      reason = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String ?? ""
    }
  }

  struct Bought: Sendable {
    let state: ObjectiveCPurchaseState
    let order: String?
    let message: String
    let refusal: Refusal?
  }

  /// Starts the process for a user, if one is signed in.
  ///
  /// - Parameter listens: whether the app calls `start`, by which it begins to listen to its queue.
  func launch(as user: String? = "anna", listens: Bool = true) throws {
    kill()
    self.user = user
    let process = world.nextProcess()
    // WeChat's adapter runs on the real main thread: no simulated process has that one.
    let run =
      weChat == nil
      ? phone.device.launch { process.spawn($0) } : phone.device.launch { work in Task { await work() } }
    let simulation = world.simulation
    let configuration = ObjectiveCConfiguration(server: TestShop.address, app: TestShop.id.text) { user, _, answer in
      answer(TestShop.token(for: UserIdentifier(user), at: simulation.now))
      answer(nil)
    }
    configuration.usesStoreKit1 = phone.interface == .storeKit1
    configuration.log = { [lines] in lines.add(["line": $0]) }
    configure(configuration)
    let exchange = exchange ?? phone.device.serverLink.carrying(world.server.exchange)
    let dependencies = weChat == nil ? process.dependencies() : .ofThisDevice
    let face = try AppRun.$current.withValue(run) {
      try ObjectiveCPurchasing(
        configuration, weChat: weChat, dependencies: dependencies, start: AdapterStart { run.start($0) }
      ) { settings, queue, app throws(PurchasingError) in
        try Purchasing(
          settings, queue: queue, vault: KeychainVault(), exchange: exchange, dependencies: dependencies, weChat: app)
      }
    }
    let posted = Posted()
    observer = NotificationCenter.default.addObserver(
      forName: ObjectiveCPurchasing.eventNotification, object: face, queue: nil
    ) { posted.add(($0.userInfo ?? [:]).reduce(into: [:]) { $0["\($1.key)"] = "\($1.value)" }) }
    (self.run, self.process, self.face, self.posted) = (run, process, face, posted)
    if listens { start() }
    signIn(user)
  }

  /// Why a client cannot be made with these settings.
  func refusal(of configuration: ObjectiveCConfiguration) -> Refusal? {
    let run = phone.device.launch { _ in }
    defer { run.end() }
    return AppRun.$current.withValue(run) {
      do {
        _ = try ObjectiveCPurchasing(configuration: configuration)
        return nil
      } catch {
        return Refusal(error)
      }
    }
  }

  /// `-start`.
  func start() { call { $0.start() } }

  /// `-setUser:completion:`.
  @discardableResult
  func signIn(_ user: String?) -> Answer<Bool> {
    self.user = user
    return ask { face, answer in face.setUser(user) { answer.end(true) } }
  }

  /// The process ends between two of its jobs, without notice.
  func kill() {
    if let observer { NotificationCenter.default.removeObserver(observer) }
    process?.kill()
    run?.end()
    (run, process, face, observer) = (nil, nil, nil, nil)
  }

  /// Makes a call on the app's main thread.
  func call(_ body: @escaping @MainActor @Sendable (ObjectiveCPurchasing) -> Void) {
    guard let face, let run else { return }
    run.start { await body(face) }
  }

  /// Makes a call whose completion fills the answer.
  func ask<Value: Sendable>(
    _ body: @escaping @MainActor @Sendable (ObjectiveCPurchasing, Answer<Value>) -> Void
  ) -> Answer<Value> {
    let answer = Answer<Value>()
    call { body($0, answer) }
    return answer
  }

  /// The same, and everything until the completion.
  func answer<Value: Sendable>(
    _ body: @escaping @MainActor @Sendable (ObjectiveCPurchasing, Answer<Value>) -> Void
  ) -> Value? {
    let answer = ask(body)
    world.goOn(until: { answer.value != nil })
    return answer.value
  }

  /// `-purchase:details:completion:`, by a user who signed in before.
  func tap(
    _ product: String = "coins6", quantity: Int = 1, store: String? = nil, offer: String? = nil,
    winBack: String? = nil, reference: String? = nil
  ) -> Answer<Bought> {
    let user = user
    return ask { face, answer in
      let details = ObjectiveCPurchaseDetails()
      (details.quantity, details.store, details.promotionalOffer) = (quantity, store, offer)
      (details.winBackOffer, details.reference) = (winBack, reference)
      face.setUser(user) {
        face.purchase(product, details: details) { state, order, message, error in
          answer.end(Bought(state: state, order: order, message: message, refusal: Refusal(error)))
        }
      }
    }
  }

  /// Waits for the completion of a call in real time.
  func realAnswer<Value: Sendable>(
    _ body: @escaping @MainActor @Sendable (ObjectiveCPurchasing, Answer<Value>) -> Void
  ) async throws -> Value? {
    let answer = ask(body)
    while answer.value == nil { try await Dependencies.ofThisDevice.sleep(.milliseconds(5)) }
    return answer.value
  }

  /// A tap, and everything until its completion.
  func buy(_ product: String = "coins6", quantity: Int = 1, store: String? = nil) -> Bought? {
    let tap = tap(product, quantity: quantity, store: store)
    world.goOn(until: { tap.value != nil })
    return tap.value
  }

  /// `-openOrdersWithCompletion:`: each order and its phase.
  var openOrders: [String]? {
    answer { (face, answer: Answer<[String]>) in
      face.openOrders { open in answer.end(open.map { "\($0.orderId) \($0.phase)" }) }
    }
  }

  /// `-balancesWithCompletion:`, or why not.
  var balances: (held: [String]?, refusal: Refusal?)? {
    answer { (face, answer: Answer<([String]?, Refusal?)>) in
      face.balances { held, error in
        answer.end((held?.map { "\($0.unit) \($0.amount)" }, Refusal(error)))
      }
    }
  }

  /// `-entitlementsWithCompletion:`, or why not.
  var entitlements: (held: [String]?, refusal: Refusal?)? {
    answer { (face, answer: Answer<([String]?, Refusal?)>) in
      face.entitlements { held, error in
        answer.end((held?.map { "\($0.entitlement) \($0.state)" }, Refusal(error)))
      }
    }
  }

  /// `-restorePurchasesWithCompletion:`: whether it ended without an error.
  func restores() -> Bool? {
    answer { (face, answer: Answer<Bool>) in face.restorePurchases { _, error in answer.end(error == nil) } }
  }

  /// `-supportForOrder:completion:`.
  func support(for order: String) -> [String?]? {
    answer { (face, answer: Answer<[String?]>) in
      face.support(forOrder: order) { code, text in answer.end([code, text]) }
    }
  }

  /// `-recover:completion:` as the app does it in `applicationWillEnterForeground:`.
  func comeToForeground() {
    phone.device.comeToForeground()
    call { $0.recover(.foreground, completion: nil) }
  }

  /// The number of jobs that the app has run in this process.
  var steps: Int { process?.steps ?? 0 }
}

extension Screen {
  /// A scene for the calls of an app, which are made where UIKit is not imported.
  @MainActor static var scene: UIWindowScene { UIWindowScene() }
}
