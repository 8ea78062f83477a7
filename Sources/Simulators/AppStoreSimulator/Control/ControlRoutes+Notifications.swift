import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let notifications: [ControlRoute] = [
    ControlRoute(
      "GET", "/notifications", summary: "All notifications as they came, with their attempts.",
      takes: [("bundleId?", "of one app")] + ControlCall.pageQuery
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let list = await call.store.notifications(bundleId: call.target["bundleId"])
      return try call.page("notifications", of: list, id: { $0.facts.uuid.text }, json: { $0.json })
    },
    ControlRoute(
      "GET", "/notifications/{notificationUUID}", summary: "The signedPayload of a notification, as it is sent."
    ) { call throws(CodedError<SimulatorErrorCode>) in
      guard let uuid = call.parameters["notificationUUID"].flatMap({ AppStoreUUID($0) }) else {
        throw CodedError(.notificationUnknown)
      }
      return call.answer(.members([("signedPayload", .string(try await call.store.signedPayload(of: uuid)))]))
    },
    ControlRoute(
      "POST", "/notifications/test", summary: "Sends a notification of type TEST.",
      takes: [("bundleId", "to which app"), ("environment?", "Production or Sandbox")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (bundleId, environment) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.string("bundleId"),
          try fields.optionallyConverted(
            "environment", "Production or Sandbox", SimulatedEnvironment.init(rawValue:))
        )
      }
      let uuid = try await call.store.notificationCommands.requestTest(bundleId: bundleId, environment: environment)
      return call.answer(.members([("notificationUUID", .string(uuid.text))]), status: 202)
    },
  ]
}
