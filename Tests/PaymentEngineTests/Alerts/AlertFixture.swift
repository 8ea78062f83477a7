import Cryptography
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import TestDoubles

/// A shop that watches itself, with receivers that keep what they are sent. Its measurements are set by the test.
struct AlertFixture: Sendable {
  /// Kept as long as the watch may be replaced.
  let shop: EngineFixture
  let watch: AlertWatch
  let sent: SharedValue<[HTTPRequest]>
  /// What the receivers answer.
  let answer: SharedValue<Result<HTTPResponse, HTTPExchangeError>>
  let log: EventLog

  static let webhookURL = "https://on-call.example/hook"
  static let taken = HTTPResponse(status: 200, json: .members([("code", .integer(0)), ("errcode", .integer(0))]))

  /// - Parameter earlier: the shop of a process that ended.
  init(
    _ channels: [AlertChannel] = [Self.channel()], after earlier: AlertFixture? = nil,
    faults: DatabaseFaults = DatabaseFaults(),
    node: String = "one"
  ) throws {
    let sent = earlier?.sent ?? SharedValue<[HTTPRequest]>([])
    let answer = earlier?.answer ?? SharedValue<Result<HTTPResponse, HTTPExchangeError>>(.success(Self.taken))
    let log = earlier?.log ?? EventLog()
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      sent.value.append(request)
      return try answer.value.get()
    }
    let shop = try EngineFixture(faults: faults, exchange: exchange, log: log.log, storage: earlier?.shop.storage)
    if let earlier { shop.clock.advance(by: earlier.shop.now() - shop.now()) }
    (self.sent, self.answer, self.log, self.shop) = (sent, answer, log, shop)
    watch = AlertWatch(channels, of: shop.engine, node: node, isSimulated: false)
  }

  static func channel(
    _ name: String = "on-call", _ kind: AlertChannel.Kind = .webhook, url: String = Self.webhookURL,
    secret: String? = "a secret made for tests, 32 bytes", _ change: (inout AlertChannel) -> Void = { _ in }
  ) -> AlertChannel {
    var channel = AlertChannel(name: name, kind: kind, url: Secret(Array(url.utf8)))
    channel.secret = secret.map { Secret(Array($0.utf8)) }
    change(&channel)
    return channel
  }

  private static let labels = [("app", "shop"), ("environment", "simulated")]

  /// Sets the age of the oldest delivery that is not acknowledged.
  func undelivered(_ seconds: Double) {
    shop.engine.metrics.set(.oldestUndeliveredSeconds, Self.labels, to: seconds)
  }

  func parked(_ count: Double) { shop.engine.metrics.set(.deliveriesParked, Self.labels, to: count) }

  /// Judges every 15 seconds for a time.
  func run(for span: TimeSpan) async {
    for _ in 0..<(span.milliseconds / 15_000) {
      shop.clock.advance(by: .seconds(15))
      await watch.turn()
    }
  }

  /// The changes that the receivers were told, message by message.
  var told: [[String]] {
    sent.value.map { request in
      let json = (try? JSONReader.read(request.body)) ?? .null
      return (json["alerts"]?.array ?? []).map { alert in
        "\(alert["change"]?.string ?? "") \(alert["rule"]?.string ?? "") \(alert["subject"]?.string ?? "")"
      }
    }
  }

  func count(_ channel: String, _ result: String) -> Double {
    shop.engine.metrics.value(.alertMessagesTotal, [("channel", channel), ("result", result)])
  }
}
