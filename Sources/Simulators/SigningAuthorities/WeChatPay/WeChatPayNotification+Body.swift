package import PaymentPrimitives
package import StrictJSON
package import WeChatPayProtocol

extension WeChatPayNotification {
  /// The body of a notification, in the form of the platform.
  package static func body(
    id: String, createTime: Timestamp, eventType: String, summary: String, resource: SealedResource
  ) -> JSONValue {
    .members([
      ("id", .string(id)), ("create_time", .string(BeijingTime.text(createTime))),
      ("resource_type", "encrypt-resource"), ("event_type", .string(eventType)), ("summary", .string(summary)),
      ("resource", resource.json),
    ])
  }
}
