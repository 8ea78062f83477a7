import HTTPMessages
import PaymentPrimitives
import Synchronization

/// A place in the network of the world.
enum WorldPlace: Hashable, Sendable, CustomStringConvertible {
  case phone(Int)
  case server
  case appStore
  case weChatPay
  case backend
  /// The console of the servers.
  case console

  var description: String {
    switch self {
    case .phone(let number): "phone \(number)"
    case .server: "server"
    case .appStore: "App Store"
    case .weChatPay: "WeChat Pay"
    case .backend: "backend"
    case .console: "console"
    }
  }
}

/// The handler at a place: the process that does the work, and the work.
struct NetworkEndpoint<Answer: Sendable>: Sendable {
  let process: SimulatedProcess
  let work: @Sendable () async -> Answer
}

/// The network between all places: it delays, loses and repeats messages, and is sometimes cut.
final class WorldNetwork: Sendable {
  private struct State {
    var chance: SeededChance
    var faults: WorldPlan.Faults
    var cuts: [(WorldPlace, WorldPlace)] = []
  }

  private struct NetworkFault {
    var isLost = false
    var isAnswerLost = false
    var isDoubled = false
    var there = TimeSpan.zero
    var back = TimeSpan.zero
    var again = TimeSpan.zero
  }

  private let process: SimulatedProcess
  private let dependencies: Dependencies
  let events: EventTrace
  private let state: Mutex<State>

  init(_ plan: WorldPlan, _ process: SimulatedProcess, seed: UInt64, events: EventTrace) {
    self.process = process
    self.events = events
    dependencies = process.dependencies()
    state = Mutex(State(chance: SeededChance(seed: seed, purpose: "network"), faults: plan.faults))
  }

  /// Ends all faults: from now on every message arrives, once and soon.
  func heal() {
    state.withLock { state in
      state.faults = WorldPlan.Faults()
      state.cuts = []
    }
  }

  func cut(_ a: WorldPlace, _ b: WorldPlace) {
    events.record("network", "\(a) and \(b) are cut off from each other", mark: .partition)
    state.withLock { $0.cuts.append((a, b)) }
  }

  func reconnect(_ a: WorldPlace, _ b: WorldPlace) {
    state.withLock { $0.cuts.removeAll { $0.0 == a && $0.1 == b } }
  }

  private func isCut(_ a: WorldPlace, _ b: WorldPlace) -> Bool {
    state.withLock { state in state.cuts.contains { $0 == (a, b) || $0 == (b, a) } }
  }

  private func draw(mayRepeat: Bool) -> NetworkFault {
    state.withLock { state in
      var fate = NetworkFault()
      let faults = state.faults
      fate.isLost = state.chance.happens(perMille: faults.requestLost)
      fate.isAnswerLost = state.chance.happens(perMille: faults.answerLost)
      fate.isDoubled = mayRepeat && state.chance.happens(perMille: faults.requestDoubled)
      fate.there = Self.delay(&state.chance, faults.slow)
      fate.back = Self.delay(&state.chance, faults.slow)
      fate.again = .milliseconds(Int64(state.chance.number(below: 4000)))
      return fate
    }
  }

  private static func delay(_ chance: inout SeededChance, _ slow: Int) -> TimeSpan {
    let most = chance.happens(perMille: slow) ? 12_000 : 80
    return .milliseconds(Int64(5 + chance.number(below: most)))
  }

  /// Carries a request to a place and the answer back.
  ///
  /// - Parameters:
  ///   - mayRepeat: whether the request may arrive twice.
  ///   - attend: the handler at the time of arrival; nil if the place is down.
  func carry<Answer: Sendable>(
    _ what: String, from: WorldPlace, to: WorldPlace, limit: TimeSpan, mayRepeat: Bool,
    attend: @escaping @Sendable () -> NetworkEndpoint<Answer>?
  ) async throws(HTTPExchangeError) -> Answer {
    let letter = NetworkMessage<Result<Answer, HTTPExchangeError>>()
    let fate = draw(mayRepeat: mayRepeat)
    note(fate, what, from: from, to: to)
    process.spawn { [self] in
      try? await dependencies.sleep(limit)
      letter.answer(.failure(.outcomeUnknown("no answer")))
    }
    if !fate.isLost {
      process.spawn { [self] in
        try? await dependencies.sleep(fate.there)
        deliver(from, to, fate: fate, letter: letter, attend)
      }
    }
    if fate.isDoubled {
      process.spawn { [self] in
        try? await dependencies.sleep(TimeSpan.milliseconds(fate.there.milliseconds + fate.again.milliseconds))
        deliver(from, to, fate: fate, letter: letter, attend)
      }
    }
    let result = await letter.wait()
    guard let result else { throw .cancelled }
    return try result.get()
  }

  private func note(_ fate: NetworkFault, _ what: String, from: WorldPlace, to: WorldPlace) {
    if fate.isLost { events.record("network", "loses \(from) → \(to): \(what)", mark: .requestLost) }
    if fate.isAnswerLost, !fate.isLost {
      events.record("network", "loses the answer to \(from): \(what)", mark: .answerLost)
    }
    if fate.isDoubled { events.record("network", "doubles \(from) → \(to): \(what)", mark: .requestDoubled) }
  }

  private func deliver<Answer: Sendable>(
    _ from: WorldPlace, _ to: WorldPlace, fate: NetworkFault,
    letter: NetworkMessage<Result<Answer, HTTPExchangeError>>,
    _ attend: @escaping @Sendable () -> NetworkEndpoint<Answer>?
  ) {
    guard !isCut(from, to) else { return }
    guard let attendance = attend() else {
      letter.answer(.failure(.unreachable("No process listens.")))
      return
    }
    attendance.process.spawn { [self] in
      let answer = await attendance.work()
      process.spawn { [self] in
        try? await dependencies.sleep(fate.back)
        guard !fate.isAnswerLost, !isCut(from, to) else { return }
        letter.answer(.success(answer))
      }
    }
  }
}

/// A container for one answer, for which one task waits.
final class NetworkMessage<Answer: Sendable>: Sendable {
  private struct State {
    var answer: Answer?
    var isOver = false
    var waiting: UnsafeContinuation<Answer?, Never>?
  }

  private let state = Mutex(State())

  func answer(_ answer: Answer) { end(answer) }

  private func end(_ answer: Answer?) {
    let waiting = state.withLock { state -> UnsafeContinuation<Answer?, Never>? in
      guard !state.isOver else { return nil }
      state.isOver = true
      state.answer = answer
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: answer)
  }

  /// The answer; nil if the waiting task is cancelled first.
  func wait() async -> Answer? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.waiting = continuation }
          return state.isOver
        }
        if isOver { continuation.resume(returning: state.withLock { $0.answer }) }
      }
    } onCancel: {
      end(nil)
    }
  }
}
