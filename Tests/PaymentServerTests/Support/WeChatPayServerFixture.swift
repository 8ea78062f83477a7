import CounterfoilAPI
import Cryptography
import Foundation
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import SQLiteDatabase
import ShopFixtures
import SigningAuthorities
import SimulationKit
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing
import WeChatPayIntegration
import WeChatPayProtocol
import WeChatPaySimulator

/// A server for a shop that sells through WeChat Pay, and a simulated WeChat Pay. WeChat Pay reaches the server by
/// requests, as all others do.
struct WeChatPayServerFixture: Sendable {
  static let notifyPath = "/notifications/wechat-pay/shop"

  let front: ServerFixture
  let weChatPay: SimulatedWeChatPay
  let dependencies: Dependencies

  /// A server with those dependencies.
  static func open(
    in dependencies: Dependencies, database: (any PaymentDatabase)? = nil,
    _ change: (inout ServerFixture.Changes) -> Void = { _ in }
  ) async throws -> WeChatPayServerFixture {
    let route = LateExchange()
    let weChatPay = try await TestMerchant().openWeChatPay(in: dependencies, notifying: route.exchange)
    var changes = ServerFixture.Changes()
    changes.dependencies = dependencies
    changes.database = database
    changes.anywhere = weChatPay.api.network
    let catalog = try Catalog(TestCatalog.weChatPay)
    changes.weChatPay = try await TestMerchant().access(to: weChatPay)
    changes.app = { $0.catalog = catalog }
    change(&changes)
    let made = changes
    let front = try await ServerFixture.open { $0 = made }
    route.open(
      to: HTTPExchange { [server = front.server] request, _ throws(HTTPExchangeError) in
        var request = request
        request.target = notifyPath
        return await server.respond(to: request, from: "101.226.103.1")
      })
    return WeChatPayServerFixture(front: front, weChatPay: weChatPay, dependencies: dependencies)
  }

  /// Time stands still until a task sleeps. The longest sleep, which sets a limit, waits for its cancellation instead.
  static func impatient() -> (dependencies: Dependencies, clock: StandingClock) {
    let clock = StandingClock()
    let standing = clock.dependencies
    let dependencies = Dependencies(
      now: standing.now, randomBytes: standing.randomBytes,
      sleep: { span in
        guard span > EngineLimits().storeQuestionRepeat else { return clock.advance(by: span) }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw CancellationError()
      })
    return (dependencies, clock)
  }

  // MARK: what people do

  /// A user's phone makes an order; returns the whole answer.
  @discardableResult
  func order(
    _ product: String = "coins.100", of user: UserIdentifier = "alice", as credential: String? = nil,
    _ more: [(String, JSONValue?)] = [], fields: HTTPFields = [:], from peer: String = "192.0.2.1"
  ) async -> Answer {
    let usual: [(String, JSONValue?)] = [
      ("productId", .string(product)), ("store", "weChatPay"), ("platform", "android"),
    ]
    let named = Set(more.map(\.0))
    return await front.ask(
      "POST", CreateOrder.path, as: credential ?? front.token(of: user),
      json: .members(usual.filter { !named.contains($0.0) } + more), fields: fields, from: peer)
  }

  @discardableResult
  func order(
    _ more: [(String, JSONValue?)], fields: HTTPFields = [:], from peer: String = "192.0.2.1"
  ) async -> Answer {
    await order("coins.100", more, fields: fields, from: peer)
  }

  /// WeChat opens with the parameters of the answer, and the payer acts there.
  @discardableResult
  func visit(
    _ answer: Answer, _ action: CashierAction = .pay, openid: String = "o-alice"
  ) async throws -> CashierResult {
    let visit = try CashierVisit(handedOver: answer["weChatPay"] ?? .null)
    return try await weChatPay.cashier.visit(visit, openid: openid, action)
  }

  /// The client reports that it is back from WeChat.
  func check(_ order: String, as credential: String? = nil, _ more: [(String, JSONValue?)] = []) async -> Answer {
    await front.ask(
      "POST", CheckWeChatPay.path, as: credential ?? front.token(),
      json: .members([("orderId", .string(order))] + more))
  }

  /// An order that is paid and granted: its id.
  func bought(
    _ product: String = "coins.100", of user: UserIdentifier = "alice", _ more: [(String, JSONValue?)] = []
  ) async throws -> String {
    let answer = await order(product, of: user, more)
    try await visit(answer)
    let id = answer["id"]?.string ?? "none: \(answer.code ?? "")"
    _ = await check(id, as: front.token(of: user))
    return id
  }

  func refund(
    _ order: String, key: String?, _ body: [(String, JSONValue?)] = [], as credential: String? = nil
  ) async -> Answer {
    await front.ask(
      "POST", "/v1/orders/\(order)/refund", as: credential ?? front.keys.secret, json: .members(body),
      fields: key.map { ["Idempotency-Key": $0] } ?? [:])
  }

  /// The notification that WeChat Pay would send now about the last event.
  func notification() async throws -> HTTPRequest {
    guard let last = await weChatPay.notifications().last else { throw NothingToTell() }
    return try await weChatPay.request(of: last.id)
  }

  struct NothingToTell: Error {}

  /// Sends a notification as WeChat Pay would; `change` edits it.
  func post(
    _ request: HTTPRequest, to path: String = notifyPath, from peer: String = "101.226.103.1",
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) async -> Answer {
    var request = request
    change(&request)
    return await front.ask("POST", path, body: request.body, fields: request.fields, from: peer)
  }
}

extension FixtureDatabase {
  /// Runs a test with a shop that sells through WeChat Pay, on a new database of this kind.
  func withWeChat(_ body: (WeChatPayServerFixture) async throws -> Void) async throws {
    let (dependencies, _) = WeChatPayServerFixture.impatient()
    guard self == .sqlite else { return try await body(WeChatPayServerFixture.open(in: dependencies)) }
    try await withSQLite(dependencies) { database in
      try await body(WeChatPayServerFixture.open(in: dependencies, database: database))
    }
  }
}
