package import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

extension KeptEntitlements {
  init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    app = AppIdentifier(try fields.string("app", bytesMax: 255))
    user = UserIdentifier(try fields.string("user", bytesMax: 255))
    statedAt = try fields.converted("statedAt", "a date", { Timestamp(iso8601: $0) })
    writtenAt = try fields.converted("writtenAt", "a date", { Timestamp(iso8601: $0) })
    entitlements = try ReadEntitlements.Response(json: json).all.map { Entitlement($0) }
  }

  var members: [JSONMember] {
    // As in an answer, so that an earlier version of the app still reads what was paid.
    let answer = ReadEntitlements.Response(
      entitlements: entitlements.filter { $0.source == .payment }.map { EntitlementBody($0) },
      promotional: entitlements.filter { $0.source != .payment }.map { EntitlementBody($0) })
    return [
      JSONMember("app", .string(app.text)), JSONMember("user", .string(user.text)),
      JSONMember("statedAt", .string(statedAt.iso8601)), JSONMember("writtenAt", .string(writtenAt.iso8601)),
    ] + (answer.json.object ?? [])
  }
}

extension EntitlementBody {
  /// The entitlement as the server wrote it.
  package init(_ entitlement: Entitlement) {
    self.init(
      entitlement: entitlement.entitlement, state: State(rawValue: entitlement.state.rawValue),
      expiresAt: entitlement.expiresAt, store: entitlement.store, environment: entitlement.environment,
      source: Source(rawValue: entitlement.source.rawValue))
    willRenew = entitlement.willRenew
    renewsTo = entitlement.renewsTo
    gracePeriodExpiresAt = entitlement.gracePeriodExpiresAt
    reason = entitlement.reason.map { Reason(rawValue: $0.rawValue) }
  }
}
