import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON

extension ControlRoutes {
  static let time: [ControlRoute] = [
    ControlRoute("GET", "/clock", summary: "What time it is here, and how fast it passes.") {
      call throws(CodedError<SimulatorErrorCode>) in
      call.answer(await clock(call, await call.store.now()))
    },
    ControlRoute(
      "POST", "/clock", summary: "Moves the clock, changes its rate, or gives it the world's time again.",
      takes: [
        ("advanceSeconds?", "moves it; negative sets it back"),
        ("rate?", "seconds here in one of the world, 1 to 86400"),
        ("reset?", "true: the world's time and rate"),
      ]
    ) { call throws(CodedError<SimulatorErrorCode>) in
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
        now = try await call.store.advanceClock(by: .seconds(advance))
      } else if let rate {
        now = try await call.store.setClockRate(rate)
      } else {
        now = try await call.store.resetClock()
      }
      await call.store.settle()
      return call.answer(await clock(call, now))
    },
    ControlRoute(
      "GET", "/knobs", summary: "All behaviour settings: planned faults, and choices where Apple's rules are open."
    ) {
      call throws(CodedError<SimulatorErrorCode>) in
      let behaviours = await call.store.behaviours()
      return call.answer(
        .members([
          ("knobs", .array(SimulatorBehaviour.allCases.map { json($0, behaviours[$0], language: call.language) }))
        ]))
    },
    ControlRoute(
      "PUT", "/knobs/{knob}", summary: "Sets a behaviour; 0 restores the default.",
      takes: [("value", "a whole number")]
    ) { call throws(CodedError<SimulatorErrorCode>) in
      guard let behaviour = call.parameters["knob"].flatMap({ SimulatorBehaviour(rawValue: $0) }) else {
        throw CodedError(.behaviourUnknown)
      }
      let value = try call.read { fields throws(JSONFieldError) in try fields.integer("value") }
      try await call.store.setBehaviour(behaviour, to: value)
      return call.answer(json(behaviour, value, language: call.language))
    },
  ]

  private static func clock(_ call: ControlCall, _ now: Timestamp) async -> JSONValue {
    .members([("now", .string(now.iso8601)), ("rate", .integer(await call.store.clock().rate))])
  }

  private static func json(_ behaviour: SimulatorBehaviour, _ value: Int64, language: Language) -> JSONValue {
    .members([
      ("knob", .string(behaviour.rawValue)), ("value", .integer(value)),
      ("most", .integer(behaviour.range.upperBound)), ("meaning", .string(behaviour.meaning[language])),
    ])
  }
}
