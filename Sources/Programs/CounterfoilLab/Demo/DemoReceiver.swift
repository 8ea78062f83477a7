import CounterfoilCLI
import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization

/// The backend of the demo. It checks each delivery's signature and books the delivery once by its id. It also fails as
/// real backends do: it answers with errors, and it cuts the connection after booking.
final class DemoReceiver: Sendable {
  private struct State {
    var booked: [String: Booking] = [:]
    var arrivals = 0
    var repeats = 0
    var forged = 0
    var countdown = 0
  }

  /// The data that was booked for a delivery id.
  struct Booking: Hashable, Sendable {
    let transaction: String
    let user: String
    let units: Int64
  }

  private let secret: Secret
  private let mischief: Int
  private let state = Mutex(State())

  /// A backend that knows its webhook secret.
  ///
  /// - Parameter mischief: a delivery fails if its number is a multiple of this; 0 for no failures.
  init(_ secret: Secret, mischief: Int) {
    self.secret = secret
    self.mischief = mischief
  }

  var booked: [String: Booking] { state.withLock { $0.booked } }
  var arrivals: Int { state.withLock { $0.arrivals } }
  var repeats: Int { state.withLock { $0.repeats } }
  var forged: Int { state.withLock { $0.forged } }

  func respond(to request: HTTPRequest) -> HTTPResponse {
    guard let id = request.fields["webhook-id"], isSigned(request, id),
      let body = try? JSONReader.read(request.body), body["id"]?.string == id
    else {
      state.withLock { $0.forged += 1 }
      return HTTPResponse(status: 401)
    }
    let booking = Booking(
      transaction: body["transactionId"]?.string ?? "", user: body["userId"]?.string ?? "",
      units: body["units"]?["amount"]?.integer ?? 0)
    return state.withLock { state in
      state.arrivals += 1
      state.countdown += 1
      let goesWrong = mischief > 0 && state.countdown % mischief == 0
      // Half of the failures happen before booking; the other half are booked and still answered with an error.
      if goesWrong, state.countdown / mischief % 2 == 0 { return HTTPResponse(status: 500) }
      if state.booked.updateValue(booking, forKey: id) != nil { state.repeats += 1 }
      return HTTPResponse(status: goesWrong ? 503 : 204)
    }
  }

  /// Standard Webhooks: HMAC-SHA256 over id, time and body.
  private func isSigned(_ request: HTTPRequest, _ id: String) -> Bool {
    guard let time = request.fields["webhook-timestamp"],
      let signatures = request.fields["webhook-signature"]
    else { return false }
    let signed = Array("\(id).\(time).".utf8) + request.body
    return signatures.split(separator: " ").contains { signature in
      guard signature.hasPrefix("v1,"), let code = Base64.decode(String(signature.dropFirst(3))) else { return false }
      return HMACSHA256.isValid(code, for: signed, key: secret)
    }
  }
}
