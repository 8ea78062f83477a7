package import Cryptography
package import HTTPMessages
import PaymentModel
package import PaymentPrimitives

/// Signs a delivery, or a message of an alert, by Standard Webhooks 1.0: HMAC-SHA256 over id, time and body joined by
/// dots, once per secret.
///
/// Source: the Standard Webhooks specification; headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
package enum WebhookSigning {
  static func request(
    for delivery: Delivery, to endpoint: DeliveryEndpoint, at now: Timestamp
  ) -> HTTPRequest {
    request(body: delivery.body, id: delivery.id.text, to: endpoint.url, secrets: endpoint.secrets, at: now)
  }

  package static func request(
    body: String, id: String, to url: String, secrets: [Secret], at now: Timestamp
  ) -> HTTPRequest {
    let time = String(now.seconds)
    let signed = Array((id + "." + time + "." + body).utf8)
    let signatures = secrets.map { secret in
      "v1," + Base64.encode(HMACSHA256.code(for: signed, key: secret))
    }
    return HTTPRequest(
      "POST", url,
      fields: [
        "Content-Type": "application/json", "User-Agent": "Counterfoil", "webhook-id": id,
        "webhook-timestamp": time, "webhook-signature": signatures.joined(separator: " "),
      ], body: Array(body.utf8))
  }
}
