import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let api: [ControlRoute] = [
    ControlRoute(
      "GET", "/api-keys",
      summary:
        "The keys of the App Store Server API; the private half of the ready-made; the shared secret of verifyReceipt."
    ) {
      call throws(CodedError<SimulatorErrorCode>) in
      call.answer(
        .members([
          ("keys", .array(await call.store.apiKeys().map(\.json))),
          ("testPrivateKey", .string(call.store.testAPIKey.testPrivateKeyPEM)),
          ("testSharedSecret", .string(call.store.authority.testSharedSecret)),
        ]))
    },
    ControlRoute(
      "PUT", "/api-keys/{keyId}", summary: "Registers a key of the App Store Server API.",
      takes: [("issuerId", "the team's UUID"), ("publicKey", "a public key on P-256 in PEM")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let key = try call.read(SimulatedAPIKey.init(_:))
      try await call.store.apiSettings.setKey(key)
      return call.answer(key.json)
    },
    ControlRoute("GET", "/api-faults", summary: "The faults of the API that are planned, and the names of all.") {
      call throws(CodedError<SimulatorErrorCode>) in
      call.answer(
        .members([
          ("planned", .array(await call.store.apiFaults().map(\.json))),
          ("faults", .array(AppStoreAPIFault.allCases.map { .string($0.rawValue) })),
          ("operations", .array(AppStoreAPIOperation.allCases.map { .string($0.rawValue) })),
        ]))
    },
    ControlRoute(
      "POST", "/api-faults", summary: "Plans a fault behind the others.",
      takes: [
        ("fault", "its name"), ("operation?", "of which call; otherwise of any"),
        ("skip?", "occasions that pass first"), ("count?", "how often, otherwise once; or always"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      let fault = try call.read(PlannedAPIFault.init(_:))
      try await call.store.apiSettings.plan(fault)
      return call.answer(fault.json, status: 201)
    },
    ControlRoute("DELETE", "/api-faults", summary: "Takes back all faults that are planned.") {
      call throws(CodedError<SimulatorErrorCode>) in
      try await call.store.apiSettings.forgetFaults()
      return HTTPResponse(status: 204)
    },
  ]
}
