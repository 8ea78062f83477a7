package import Cryptography

/// The text of a webhook secret by Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes.
package enum WebhookSecret {
  /// The bytes that sign; nil for any other text.
  package static func secret(_ text: String) -> Secret? {
    guard text.hasPrefix("whsec_"), let bytes = Base64.decode(String(text.dropFirst(6))),
      (24...64).contains(bytes.count)
    else { return nil }
    return Secret(bytes)
  }
}
