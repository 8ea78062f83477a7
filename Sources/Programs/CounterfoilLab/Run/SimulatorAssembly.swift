import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import SimulationKit
import SimulatorCore
import StrictJSON
import WeChatPaySimulator

/// A simulated App Store assembled over a log file, with its control interface.
struct SimulatorAssembly: Sendable {
  let store: SimulatedAppStore
  let control: AppStoreSimulatorAPI

  /// Opens a simulator on its log file; a new file starts a new simulator.
  static func open(log path: String, _ platform: Platform, report: @escaping Log) async throws -> SimulatorAssembly {
    let (lines, append) = try platform.files.openLog(path)
    return try await open(
      SimulatorLog(append: { try append($0) }, readAll: { lines }), platform, report: report)
  }

  /// Opens a simulator on a log.
  static func open(
    _ log: SimulatorLog, _ platform: Platform, report: @escaping Log
  ) async throws -> SimulatorAssembly {
    let store = try await SimulatedAppStore.open(
      log: log, dependencies: platform.dependencies, exchange: try platform.exchange(.anywhere),
      settings: SimulatorSettings(environment: .production), report: report)
    return SimulatorAssembly(store: store, control: AppStoreSimulatorAPI(store))
  }

  /// The folder of the ready-made key of the App Store Server API, in the form that App Store Connect issues.
  static func apiKeys(in folder: String) -> String { folder + "/app-store" }

  /// Writes the ready-made key of the App Store Server API into the folder, and beside it the identifiers for tokens.
  func writeAPIKey(in folder: String, _ platform: Platform) throws {
    let place = Self.apiKeys(in: folder)
    let key = store.testAPIKey
    try platform.files.makeFolder(place)
    try platform.files.replace(place + "/AuthKey_\(key.key.keyId).p8", Array(key.testPrivateKeyPEM.utf8))
    let facts = JSONValue.members([
      ("keyId", .string(key.key.keyId)), ("issuerId", .string(key.key.issuerId.text)),
      ("privateKeyFile", .string("AuthKey_\(key.key.keyId).p8")),
      ("sharedSecret", .string(store.authority.testSharedSecret)),
    ])
    try platform.files.replace(place + "/api-key.json", facts.bytes + [0x0A])
  }

  /// A server's access to this simulator's API, with the ready-made key.
  func access(at origin: String, bundleId: String) throws -> AppStoreServerAccess {
    guard let host = AppStoreServerHost(origin) else { throw CommandFailure("\(origin) is no address.") }
    return try store.access(of: bundleId, at: host)
  }

  /// A server's access to this simulator's `verifyReceipt`: the last resort for receipts that its API does not know.
  func receipts(at access: AppStoreServerAccess) -> VerifyReceiptSettings {
    var settings = VerifyReceiptSettings(sharedSecret: Secret(Array(store.authority.testSharedSecret.utf8)))
    settings.hosts = access.hosts
    return settings
  }

  /// Answers a request for either store, if both share a listener.
  func respond(to request: HTTPRequest, _ weChatPay: WeChatPayAssembly) async -> HTTPResponse {
    if SimulatedServerAPI.answers(request) { return await store.serverAPI.respond(to: request) }
    return WeChatPaySimulatorAPI.answers(request)
      ? await weChatPay.face.respond(to: request) : await control.respond(to: request)
  }

  /// Renews subscriptions and sends notifications until the task is cancelled.
  func run() async {
    async let calendar: Void = SubscriptionCalendar(store).run()
    await NotificationSender(store).run()
    await calendar
  }
}
