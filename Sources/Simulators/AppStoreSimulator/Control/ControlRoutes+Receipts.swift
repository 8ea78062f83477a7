import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let receipts: [ControlRoute] = [
    ControlRoute(
      "GET", "/app-receipt", summary: "The app receipt of an account's app, as StoreKit 1 leaves it beside the app.",
      takes: [
        ("account", "whose"), ("bundleId", "in which app"),
        ("identifierForVendor?", "the UUID of the device on which it is made"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (owner, vendor) = try call.readQuery { fields throws(JSONFieldError) in
        (try AppOwner(fields), try fields.optionalUUID("identifierForVendor"))
      }
      return call.answer(.members([("appReceipt", .string(try await call.store.appReceipt(of: owner, for: vendor)))]))
    },
    ControlRoute(
      "GET", "/transactions/{transactionId}/receipt", summary: "The receipt of one transaction as iOS 6 had it."
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let receipt = try await call.store.transactionReceipt(of: call.transactionId())
      return call.answer(.members([("transactionReceipt", .string(receipt))]))
    },
  ]
}
