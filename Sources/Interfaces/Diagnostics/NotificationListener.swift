package import HTTPMessages
import PaymentEngine
package import PaymentPrimitives
import StrictJSON
import Synchronization
package import WeChatPayIntegration
package import WeChatPayProtocol

/// Tells the doctor whether WeChat Pay's test notification arrived.
package struct NotificationListener: Sendable {
  /// What arrived at the address so far.
  enum Arrival: Hashable, Sendable {
    case nothing
    /// The test notification, signed and decrypted.
    case received
    /// A notification that failed the check with this code.
    case refused(String)
  }

  let arrival: @Sendable () async -> Arrival
  let run: @Sendable () async -> Void
  let stop: @Sendable () -> Void
}

extension NotificationListener {
  /// Begins to answer requests at the server's own address.
  package typealias Opening = (
    @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) throws -> (run: @Sendable () async -> Void, stop: @Sendable () -> Void)

  /// Listens at the server's own address if no server runs. Other notifications that arrive meanwhile are not
  /// acknowledged: the store sends them again, to the server.
  package static func listening(
    for app: AppIdentifier, _ message: String, _ weChatPay: WeChatPayAccess, keys: PlatformKeyRing,
    now: @escaping @Sendable () -> Timestamp, open: Opening
  ) throws -> NotificationListener {
    let arrival = FirstArrival()
    let path = "/notifications/wechat-pay/" + app.text
    let listener = try open { request in
      guard request.method == "POST", request.target == path else { return HTTPResponse(status: 503) }
      do throws(NotificationFailure) {
        let notification = try WeChatPayNotification(
          fields: request.fields, body: request.body, keys: keys, apiV3Key: weChatPay.merchant.apiV3Key,
          at: now())
        guard notification.content == .echo(message) else { return HTTPResponse(status: 503) }
        arrival.note(.received)
        return WeChatPayNotification.accepted
      } catch {
        if !error.isProbe { arrival.note(.refused(error.code)) }
        return HTTPResponse(status: 503)
      }
    }
    return NotificationListener(arrival: { arrival.value }, run: listener.run, stop: listener.stop)
  }

  /// Asks the server that runs on this machine for its counters since the doctor began.
  package static func counting(at origin: String, _ exchange: HTTPExchange) async -> NotificationListener? {
    guard let before = await Counters(of: origin, exchange) else { return nil }
    return NotificationListener(
      arrival: {
        guard let now = await Counters(of: origin, exchange) else { return .nothing }
        if now.echoes > before.echoes { return .received }
        let failed = now.failures.first { $0.value > before.failures[$0.key] ?? 0 }
        return failed.map { .refused($0.key) } ?? .nothing
      }, run: {}, stop: {})
  }
}

/// The first success counts; otherwise the last error.
private final class FirstArrival: Sendable {
  private let state = Mutex(NotificationListener.Arrival.nothing)
  var value: NotificationListener.Arrival { state.withLock { $0 } }
  func note(_ arrival: NotificationListener.Arrival) { state.withLock { if $0 != .received { $0 = arrival } } }
}

/// The server's counters of notifications.
private struct Counters {
  private(set) var echoes: Int64 = 0
  private(set) var failures: [String: Int64] = [:]

  init?(of origin: String, _ exchange: HTTPExchange) async {
    guard let response = try? await exchange.send(HTTPRequest("GET", origin + "/metrics"), .seconds(5)),
      response.status == 200
    else { return nil }
    for line in String(decoding: response.body, as: UTF8.self).split(separator: "\n") {
      guard let number = line.split(separator: " ").last.flatMap({ Int64($0) }) else { continue }
      if line.hasPrefix("counterfoil_notifications_total{"), line.contains("\"SECURITY_ECHO.SUCCESS\"") {
        echoes += number
      }
      if line.hasPrefix("counterfoil_verify_failures_total{"), let code = Self.quoted(line),
        code.hasPrefix("wechat_pay")
      {
        failures[code, default: 0] += number
      }
    }
  }

  private static func quoted(_ line: Substring) -> String? {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.count > 1 ? String(parts[1]) : nil
  }
}
