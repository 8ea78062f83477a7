import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

extension WeChatPayControlRoutes {
  static let notifications: [WeChatPayControlRoute] = [
    WeChatPayControlRoute(
      "GET", "/notifications", summary: "All notifications as they came, with their attempts.",
      takes: WeChatPayControlCall.pageQuery
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let list = await call.service.notifications(mchid: call.target["mchid"])
      return try call.page("notifications", of: list, id: \.id, json: { $0.json })
    },
    WeChatPayControlRoute(
      "GET", "/notifications/{id}", summary: "A notification as it would be sent now: target, header, body."
    ) {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let request = try await call.service.request(of: call.parameters["id"] ?? "")
      return call.answer(
        .members([
          ("target", .string(request.target)),
          ("header", .members(request.fields.all.map { ($0.name, .string($0.value)) })),
          ("body", .string(String(decoding: request.body, as: UTF8.self))),
        ]))
    },
    WeChatPayControlRoute("POST", "/notifications/{id}/send", summary: "Makes a notification due at once.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      try await call.service.control.sendAgain(call.parameters["id"] ?? "")
      return HTTPResponse(status: 202)
    },
    WeChatPayControlRoute("GET", "/exchanges", summary: "The last requests to the API, and what became of them.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      call.answer(.members([("exchanges", .array(await call.service.exchanges().map(\.json)))]))
    },
    WeChatPayControlRoute("DELETE", "/exchanges", summary: "Forgets the requests so far.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      await call.service.forgetExchanges()
      return HTTPResponse(status: 204)
    },
  ]

  static let behaviour: [WeChatPayControlRoute] = [
    WeChatPayControlRoute("GET", "/clock", summary: "What time it is here, and how fast it passes.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      call.answer(await clock(call, await call.service.now()))
    },
    WeChatPayControlRoute(
      "POST", "/clock", summary: "Moves the clock of orders, refunds and bills; signatures keep the world's time.",
      takes: [
        ("advanceSeconds?", "moves it; negative sets it back"),
        ("rate?", "seconds here in one of the world, 1 to 86400"), ("reset?", "true: the world's time and rate"),
      ]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let (advance, rate, reset) = try call.read { fields throws(JSONFieldError) in
        let most = SimulatorClock.stepMax.milliseconds / 1000
        return (
          try fields.optionalInteger("advanceSeconds", in: -most...most), try fields.optionalInteger("rate"),
          try fields.optionalBool("reset") ?? false
        )
      }
      guard [advance != nil, rate != nil, reset].count(where: { $0 }) == 1 else {
        throw CodedError(.fieldInvalid, "Exactly one of advanceSeconds, rate and reset must be given.")
      }
      let now: Timestamp
      if let advance {
        now = try await call.service.advanceClock(by: .seconds(advance))
      } else if let rate {
        now = try await call.service.setClockRate(rate)
      } else {
        now = try await call.service.resetClock()
      }
      return call.answer(await clock(call, now))
    },
    WeChatPayControlRoute("GET", "/knobs", summary: "All behaviour settings.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let behaviours = await call.service.behaviours()
      return call.answer(
        .members([
          ("knobs", .array(WeChatPayBehaviour.allCases.map { json($0, behaviours[$0], language: call.language) }))
        ]))
    },
    WeChatPayControlRoute(
      "PUT", "/knobs/{knob}", summary: "Sets a behaviour; 0 restores the default.",
      takes: [("value", "a whole number")]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      guard let behaviour = call.parameters["knob"].flatMap({ WeChatPayBehaviour(rawValue: $0) }) else {
        throw CodedError(.behaviourUnknown)
      }
      let value = try call.read { fields throws(JSONFieldError) in try fields.integer("value") }
      try await call.service.setBehaviour(behaviour, to: value)
      return call.answer(json(behaviour, value, language: call.language))
    },
    WeChatPayControlRoute("GET", "/faults", summary: "The faults that are planned, and the names of all.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      call.answer(
        .members([
          ("planned", .array(await call.service.faults().map(\.json))),
          ("faults", .array(WeChatPayFault.allCases.map { .string($0.rawValue) })),
          ("operations", .array(WeChatPayOperation.allCases.map { .string($0.rawValue) })),
        ]))
    },
    WeChatPayControlRoute(
      "POST", "/faults", summary: "Plans a fault behind the others.",
      takes: [
        ("fault", "its name"), ("operation?", "of which call or notification; otherwise any call"),
        ("host?", "at which host alone"), ("skip?", "occasions that pass first"),
        ("count?", "how often, otherwise once; or always"), ("percent?", "its chance at each occasion"),
      ]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let fault = try call.read { fields throws(JSONFieldError) in try PlannedFault(fields) }
      try await call.service.control.plan(fault)
      return call.answer(fault.json, status: 201)
    },
    WeChatPayControlRoute("DELETE", "/faults", summary: "Takes back all faults that are planned.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      try await call.service.control.forgetFaults()
      return HTTPResponse(status: 204)
    },
  ]

  private static func clock(_ call: WeChatPayControlCall, _ now: Timestamp) async -> JSONValue {
    .members([("now", .string(now.iso8601)), ("rate", .integer(await call.service.clock().rate))])
  }

  private static func json(_ behaviour: WeChatPayBehaviour, _ value: Int64, language: Language) -> JSONValue {
    .members([
      ("knob", .string(behaviour.rawValue)), ("value", .integer(value)),
      ("least", .integer(behaviour.range.lowerBound)),
      ("most", .integer(behaviour.range.upperBound)), ("meaning", .string(behaviour.meaning[language])),
    ])
  }
}
