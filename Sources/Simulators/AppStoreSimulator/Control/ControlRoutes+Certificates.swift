import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let certificates: [ControlRoute] = [
    ControlRoute("GET", "/certificates", summary: "The certificates that were revoked.") {
      call throws(CodedError<SimulatorErrorCode>) in
      call.answer(.members([("revoked", .array(await call.store.revocations().map(\.json)))]))
    },
    ControlRoute(
      "POST", "/certificates/revoke", summary: "Revokes the certificate that signs now, or its intermediate.",
      takes: [
        ("certificate", "leaf or intermediate"),
        ("keepsSigning?", "whether it goes on signing; otherwise another does"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let (role, keepsSigning) = try call.read { fields throws(JSONFieldError) in
        (
          try fields.converted(
            "certificate", "leaf or intermediate", SimulatedCertificateRevocation.Role.init(rawValue:)),
          try fields.optionalBool("keepsSigning") ?? false
        )
      }
      return call.answer(
        try await call.store.certificates.revoke(role, keepsSigning: keepsSigning).json, status: 201)
    },
  ]
}
