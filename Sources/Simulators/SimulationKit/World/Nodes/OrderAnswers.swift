import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

/// What the nodes of a world have answered about orders. Whoever asks after an order was told as paid is told so, too,
/// by whichever node.
final class OrderAnswers: Sendable {
  /// When each order was first told as paid, by its id and environment.
  private let paid = Mutex<[String: Timestamp]>([:])

  /// Notes an answer.
  ///
  /// - Parameters:
  ///   - asked: when the question reached the node.
  ///   - slack: how long a session may answer from a server that leads no more.
  /// - Returns: how long before the question the order was told as paid, if this answer takes that back.
  func compare(
    _ response: HTTPResponse, to request: HTTPRequest, asked: Timestamp, at now: Timestamp, slack: TimeSpan
  ) -> TimeSpan? {
    guard request.method == "GET", response.status == 200, request.target.hasPrefix("/v1/orders/"),
      let body = try? JSONReader.read(response.body), let id = body["id"]?.string, let state = body["state"]?.string
    else { return nil }
    let order = "\(id) \(body["environment"]?.string ?? "")"
    return paid.withLock { paid in
      if state == "paid" {
        paid[order] = min(paid[order] ?? now, now)
        return nil
      }
      return paid[order].flatMap { asked - $0 > slack ? asked - $0 : nil }
    }
  }
}
