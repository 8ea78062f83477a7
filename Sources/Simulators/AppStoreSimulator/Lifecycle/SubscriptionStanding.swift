import AppStoreProtocol
import PaymentPrimitives
import SimulatorCore
import StrictJSON

/// The state of a subscription beside its paid period: the calendar's results so far, and the changes for the next
/// renewal.
struct SubscriptionStanding: Hashable, Sendable {
  /// A renewal that could not be charged.
  struct Failure: Hashable, Sendable {
    /// The end of the last paid period.
    let since: Timestamp
    /// Until when the customer keeps access without payment; nil when the app grants no grace period.
    let graceUntil: Timestamp?
    /// Whether the server was told of the end of the grace period.
    var isGraceOver: Bool
  }

  /// A higher price from the next renewal on.
  struct Raise: Hashable, Sendable {
    let price: Int64
    /// Whether the customer agreed, or does not need to.
    var isAccepted: Bool
  }

  /// The failed renewal; nil while everything is paid.
  var failure: Failure?
  /// Why the subscription ended; nil while it has not, as far as the calendar has run.
  var end: ExpirationIntent?
  var raise: Raise?
  /// What this customer pays after a price increase, in thousandths of the main unit; nil: the product's price.
  var price: Int64?
  /// The offer for the next renewal.
  var offer: SimulatedOffer?

  /// The state after a new period is paid.
  ///
  /// - Parameter isSame: whether the period is a renewal of the same product.
  func renewed(isSame: Bool) -> SubscriptionStanding {
    var standing = SubscriptionStanding()
    if isSame { standing.price = raise?.isAccepted == true ? raise?.price : price }
    return standing
  }
}

extension SubscriptionStanding {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    failure = try fields.optionalFields("failure").map { fields throws(JSONFieldError) in
      Failure(
        since: try fields.timestamp("since"), graceUntil: try fields.optionalTimestamp("graceUntil"),
        isGraceOver: try fields.optionalBool("isGraceOver") ?? false)
    }
    if let number = try fields.optionalInteger("expirationIntent") {
      guard let intent = ExpirationIntent(rawValue: number) else {
        throw JSONFieldError(path: "expirationIntent", expected: "1 to 5")
      }
      end = intent
    }
    raise = try fields.optionalFields("raise").map { fields throws(JSONFieldError) in
      Raise(price: try fields.integer("price"), isAccepted: try fields.bool("isAccepted"))
    }
    price = try fields.optionalInteger("price")
    offer = try fields.optionalFields("offer").map { fields throws(JSONFieldError) in try SimulatedOffer(fields) }
  }

  var json: JSONValue {
    .members([
      (
        "failure",
        failure.map {
          .members([
            ("since", .integer($0.since.milliseconds)),
            ("graceUntil", $0.graceUntil.map { .integer($0.milliseconds) }), ("isGraceOver", .bool($0.isGraceOver)),
          ])
        }
      ),
      ("expirationIntent", end.map { .integer($0.rawValue) }),
      ("raise", raise.map { .members([("price", .integer($0.price)), ("isAccepted", .bool($0.isAccepted))]) }),
      ("price", price.map { .integer($0) }), ("offer", offer?.json),
    ])
  }
}
