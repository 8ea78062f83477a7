import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let overview: [ControlRoute] = [
    ControlRoute("GET", "", summary: "Lists all calls, with the time and the environment of new accounts.") {
      call throws(CodedError<SimulatorErrorCode>) in
      let now = await call.store.now()
      return call.answer(
        .members([
          ("simulator", .string("App Store")), ("now", .string(now.iso8601)),
          ("environment", .string(call.settings.environment.rawValue)),
          ("calls", AppStoreSimulatorAPI.table.json),
        ]))
    },
    ControlRoute("GET", "/root-certificate.pem", summary: "The root that a server has to trust, as PEM.") {
      call throws(CodedError<SimulatorErrorCode>) in
      HTTPResponse(
        status: 200, fields: ["Content-Type": "application/x-pem-file"], body: Array(call.store.authority.rootPEM.utf8))
    },
    ControlRoute("GET", "/root-certificate.der", summary: "The same as DER.") {
      call throws(CodedError<SimulatorErrorCode>) in
      HTTPResponse(
        status: 200, fields: ["Content-Type": "application/pkix-cert"], body: call.store.authority.root.der)
    },
  ]
}
