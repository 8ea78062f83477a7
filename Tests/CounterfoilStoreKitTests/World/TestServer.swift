import AppStoreIntegration
import AppStoreProtocol
import AppStoreSimulator
import CounterfoilAPI
import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON

/// The real server over an in-memory database, in a process of its own.
struct TestServer: Sendable {
  let process: SimulatedProcess
  private let front: ServerFixture

  /// - Parameters:
  ///   - key: the key that signs offers, if any.
  ///   - isStrict: whether the server demands the device's proof for each claim.
  init(
    _ world: SimulatedWorld, trusting root: X509Certificate, offersBy key: SimulatedTestAPIKey?, isStrict: Bool
  ) throws {
    process = SimulatedProcess("server", number: 2, in: world)
    var app = AppSettings(
      id: TestShop.id, home: .simulated,
      identity: AppIdentity(bundleId: TestShop.bundleId, appAppleId: 1_000_000_001),
      catalog: try Catalog(TestShop.products))
    app.policy.claims.isStrict = isStrict
    app.appStore?.server = try key.map { try TestShop.appStore(by: $0) }
    var limits = EngineLimits()
    // Tests run for weeks in which nothing happens: longer intervals change only the number of steps.
    limits.expiryInterval = .hours(6)
    limits.deliveryIdle = .hours(6)
    limits.watchInterval = .hours(6)
    var setup = EngineFixture.Setup()
    (setup.dependencies, setup.limits) = (process.dependencies(), limits)
    setup.verifier = try SignedDataVerifier(SignedDataConfiguration(profile: .development, anchors: [root]))
    front = try ServerFixture(serving: [app], setup)
  }

  var engine: PaymentEngine { front.engine }
  var database: InMemoryDatabase { front.database }

  /// The connection for a client that receives a test's verdicts for some transactions.
  func exchange(_ verdicts: [TransactionIdentifier: Verdict]) -> HTTPExchange {
    let real = exchange
    return HTTPExchange { request, limit throws(HTTPExchangeError) in
      let body = request.target.hasSuffix("/v1/payments/app-store") ? try? JSONReader.read(request.body) : nil
      guard let id = body?["transactionId"]?.string.map({ TransactionIdentifier($0) }), let verdict = verdicts[id]
      else { return try await real.send(request, limit) }
      let answer = PaymentAnswer(transaction: id, verdict: verdict)
      return HTTPResponse(status: 200, json: SubmitAppStorePayment.Response(payments: [answer]).json)
    }
  }

  /// The connection from other processes: the server completes each request, even if the caller is killed meanwhile.
  var exchange: HTTPExchange {
    HTTPExchange { [process, server = front.server] request, _ throws(HTTPExchangeError) in
      var arriving = request
      arriving.target = String(request.target.dropFirst(TestShop.address.count))
      let sent = arriving
      let (answers, answer) = AsyncStream.makeStream(of: HTTPResponse.self)
      process.spawn {
        answer.yield(await server.respond(to: sent, from: "192.0.2.1"))
        answer.finish()
      }
      for await answer in answers { return answer }
      throw .cancelled
    }
  }
}
