import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

// Events after a purchase.

extension ControlRoutes {
  static let changes: [ControlRoute] = [
    ControlRoute(
      "POST", "/subscriptions/{transactionId}/price-increase", summary: "Raises the price of the next renewals.",
      takes: [
        ("price", "thousandths of the currency's main unit"), ("needsConsent?", "whether the customer must agree"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (price, needsConsent) = try call.read { fields throws(JSONFieldError) in
        (try fields.integer("price"), try fields.optionalBool("needsConsent") ?? false)
      }
      try await call.store.priceIncreases.raise(of: call.transactionId(), to: price, needsConsent: needsConsent)
      return HTTPResponse(status: 204)
    },
    ControlRoute(
      "POST", "/subscriptions/{transactionId}/price-consent", summary: "The customer agrees to the higher price."
    ) { call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.priceIncreases.accept(of: call.transactionId())
      return HTTPResponse(status: 204)
    },
    ControlRoute(
      "POST", "/subscriptions/{transactionId}/extend", summary: "Puts off the end of the present period.",
      takes: [("days", "1 to 90")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let days = try call.read { fields throws(JSONFieldError) in try fields.integer("days") }
      let end = try await call.store.renewalExtensions.extend(of: call.transactionId(), byDays: days)
      return call.answer(.members([("expiresDate", .integer(end.milliseconds))]))
    },
    ControlRoute(
      "POST", "/subscriptions/{transactionId}/end", summary: "Ends a subscription for a reason without a name."
    ) { call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.subscriptions.end(call.transactionId())
      return HTTPResponse(status: 204)
    },
    ControlRoute(
      "POST", "/apps/{bundleId}/products/{productId}/extend", summary: "Puts off the ends of all active periods.",
      takes: [
        ("days", "1 to 90"), ("requestIdentifier", "a name of the request"),
        ("environment?", "Production or Sandbox"), ("storefrontCountryCodes?", "of which countries"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (days, request, environment, storefronts) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.integer("days"),
          try fields.string("requestIdentifier", bytesMax: SimulatorLimits.requestIdentifierBytesMax),
          try fields.optionallyConverted(
            "environment", "Production or Sandbox", SimulatedEnvironment.init(rawValue:)),
          try fields.strings("storefrontCountryCodes", countMax: SimulatorLimits.storefrontsMax, bytesMax: 3)
        )
      }
      let counts = try await call.store.renewalExtensions.extendAll(
        of: StoreProductIdentifier(call.parameters["productId"] ?? ""), bundleId: call.parameters["bundleId"] ?? "",
        byDays: days, requestIdentifier: request, environment: environment,
        storefronts: storefronts.isEmpty ? nil : storefronts)
      return call.answer(
        .members([("succeededCount", .integer(counts.succeeded)), ("failedCount", .integer(counts.failed))]))
    },
  ]

  static let refunds: [ControlRoute] = [
    ControlRoute("GET", "/refund-requests", summary: "Refunds that were asked for and not decided on.") {
      call throws(CodedError<SimulatorErrorCode>) in
      call.answer(.members([("requests", .array(await call.store.refundRequests().map(\.json)))]))
    },
    ControlRoute(
      "POST", "/transactions/{transactionId}/refund-request", summary: "A customer asks for a refund.",
      takes: [("reason?", "UNINTENDED_PURCHASE or another of Apple's five")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let reason = try call.read { fields throws(JSONFieldError) in
        try fields.optionallyConverted(
          "reason", SimulatedRefundRequest.reasonForm, ConsumptionRequestReason.init(rawValue:))
      }
      try await call.store.refunds.request(call.transactionId(), reason: reason ?? .unintendedPurchase)
      return HTTPResponse(status: 202)
    },
    ControlRoute(
      "POST", "/transactions/{transactionId}/refund-decline", summary: "Declines a refund that was asked for."
    ) { call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.refunds.decline(call.transactionId())
      return HTTPResponse(status: 204)
    },
    ControlRoute("POST", "/transactions/{transactionId}/refund-reversal", summary: "Undoes all refunds of it.") {
      call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.refunds.reverse(call.transactionId())
      return HTTPResponse(status: 204)
    },
    ControlRoute(
      "POST", "/transactions/{transactionId}/share", summary: "Shares it with a member of the family.",
      takes: [("account", "the member's")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let member = try call.read { fields throws(JSONFieldError) in
        try fields.converted("account", SimulatedAppleAccount.idForm, Names.account)
      }
      let shared = try await call.store.familySharing.share(call.transactionId(), with: AppleAccountIdentifier(member))
      return call.answer(shared.json, status: 201)
    },
    ControlRoute("DELETE", "/transactions/{transactionId}/share", summary: "Takes the member what was shared.") {
      call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.familySharing.end(call.transactionId())
      return HTTPResponse(status: 204)
    },
  ]

  static let tellings: [ControlRoute] = [
    ControlRoute(
      "POST", "/consent-withdrawals", summary: "A guardian withdraws the consent to an app.",
      takes: [("account", "whose"), ("bundleId", "to which app")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.notificationCommands.rescindConsent(of: try call.read(AppOwner.init(_:)))
      return HTTPResponse(status: 202)
    },
    ControlRoute(
      "POST", "/external-purchases", summary: "Tells of a token for purchases outside the App Store.",
      takes: [
        ("bundleId", "of which app"), ("subtype", "CREATED, ACTIVE_TOKEN_REMINDER or UNREPORTED"),
        ("environment?", "Production or Sandbox"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (bundleId, subtype, environment) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.string("bundleId"), try fields.converted("subtype", "a known subtype", Subtype.init(rawValue:)),
          try fields.optionallyConverted(
            "environment", "Production or Sandbox", SimulatedEnvironment.init(rawValue:))
        )
      }
      let id = try await call.store.notificationCommands.tellExternalPurchase(
        subtype, bundleId: bundleId, environment: environment)
      return call.answer(.members([("externalPurchaseId", .string(id))]), status: 202)
    },
    ControlRoute(
      "POST", "/transactions/{transactionId}/notifications",
      summary: "Tells any type and subtype about a transaction as it stands, and changes nothing.",
      takes: [("notificationType", "the type"), ("subtype?", "its particular"), ("seats?", "of UNCLAIM_SEATS")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (type, subtype, seats) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.converted("notificationType", "a known type", NotificationTypeV2.init(rawValue:)),
          try fields.optionallyConverted("subtype", "a known subtype", Subtype.init(rawValue:)),
          try fields.strings("seats", countMax: SimulatorLimits.seatsMax, bytesMax: 64)
        )
      }
      try await call.store.notificationCommands.tell(type, subtype, about: call.transactionId(), seats: seats)
      return HTTPResponse(status: 202)
    },
  ]
}
