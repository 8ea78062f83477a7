import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let subscriptions: [ControlRoute] = [
    ControlRoute(
      "GET", "/subscriptions/{transactionId}", summary: "What will become of a subscription, signed.",
      takes: [("deviceVerificationId?", "the UUID of the device that asks")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let device = try call.readQuery { fields throws(JSONFieldError) in
        try fields.optionalUUID("deviceVerificationId")
      }
      let (status, signed) = try await call.store.signedRenewalInfo(call.transactionId(), for: device)
      return call.answer(
        .members([("status", .integer(status.rawValue)), ("signedRenewalInfo", .string(signed))]))
    },
    ControlRoute(
      "POST", "/subscriptions/{transactionId}/renew", summary: "Charges a subscription before its calendar does."
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let transaction = try await call.store.subscriptions.renew(call.transactionId())
      return call.answer(transaction.json, status: 201)
    },
    ControlRoute(
      "PUT", "/subscriptions/{transactionId}/auto-renew", summary: "Turns renewal on or off.",
      takes: [("isOn", "true or false")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let isOn = try call.read { fields throws(JSONFieldError) in try fields.bool("isOn") }
      try await call.store.subscriptions.setAutoRenew(call.transactionId(), to: isOn)
      return call.answer(.members([("isOn", .bool(isOn))]))
    },
  ]
}
