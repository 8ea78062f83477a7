/// A phase of `bench http`: one kind of call at a time, so that the server's processor time can be told apart.
enum HTTPPhase: String, CaseIterable, Sendable {
  /// `GET /livez`.
  case livez
  /// A call of the same size that the bench's own handler answers: what HTTP alone costs.
  case echo
  /// `POST /v1/orders`.
  case order
  /// `POST /v1/payments/app-store`, with the signed transaction of a purchase that was not known before.
  case submit
  /// `GET /v1/orders/{orderId}` of a paid order.
  case poll
  /// `POST /notifications/app-store` about the same purchase.
  case notification
  /// All four calls for each purchase, one after the other, many purchases at a time.
  case purchases

  /// The calls of which a purchase consists.
  static let ofPurchase: [HTTPPhase] = [.order, .submit, .poll, .notification]

  /// The target by which the client tells the server that a phase begins or ends; the server itself has no such route.
  static let marks = "/bench/phase/"
  static let echoTarget = "/bench/echo"
}
