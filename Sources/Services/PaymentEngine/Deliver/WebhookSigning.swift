import Cryptography
import HTTPMessages
import PaymentModel
import PaymentPrimitives

/// Signs a delivery by Standard Webhooks 1.0: HMAC-SHA256 over id, time and body joined by dots, once per secret.
///
/// Source: the Standard Webhooks specification; headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
enum WebhookSigning {
  static func request(
    for delivery: Delivery, to endpoint: DeliveryEndpoint, at now: Timestamp
  ) -> HTTPRequest {
    let time = String(now.seconds)
    let signed = Array((delivery.id.text + "." + time + "." + delivery.body).utf8)
    let signatures = endpoint.secrets.map { secret in
      "v1," + Base64.encode(HMACSHA256.code(for: signed, key: secret))
    }
    return HTTPRequest(
      "POST", endpoint.url,
      fields: [
        "Content-Type": "application/json", "User-Agent": "Counterfoil", "webhook-id": delivery.id.text,
        "webhook-timestamp": time, "webhook-signature": signatures.joined(separator: " "),
      ], body: Array(delivery.body.utf8))
  }
}
