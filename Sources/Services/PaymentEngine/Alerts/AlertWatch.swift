package import HTTPMessages
import PaymentDatabase
import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// Judges the alerts while the server runs, and tells its channels. Nothing here is on the way of a payment.
package actor AlertWatch {
  private static let pause = TimeSpan.seconds(15)
  /// A lease is renewed in its second half, so a node that has ended is followed after two minutes.
  private static let lease = TimeSpan.minutes(2)

  private let engine: PaymentEngine
  private let isSimulated: Bool
  private let holder: String
  private var channels: [AlertChannel]
  private var judge = AlertJudge()
  private var ledgers: [String: AlertLedger] = [:]
  private var retries: [String: Retry] = [:]
  private var leasedUntil: Timestamp?
  private var isLoaded = false
  private var beside = AlertJudge.Beside()
  private var comparisonsReadAt: Timestamp?

  /// The repetition of a message that was not taken.
  private struct Retry {
    var failures = 0
    var notBefore: Timestamp?
    /// The id of the message: the same for each repetition.
    var id: String
    /// What the message told. One that tells something else is another message: a receiver may know the id already.
    var told: [String]?
  }

  /// - Parameter node: the name of this node, which a restart keeps. No other node has it at the same time.
  package init(_ channels: [AlertChannel], of engine: PaymentEngine, node: String, isSimulated: Bool) {
    self.channels = channels
    self.engine = engine
    self.isSimulated = isSimulated
    holder = node
  }

  /// Takes the channels of another configuration. What a channel was told stays, by its name.
  package func replace(_ channels: [AlertChannel]) { self.channels = channels }

  /// Judges every 15 seconds until the task is cancelled.
  package func run() async {
    repeat { await turn() } while (try? await engine.dependencies.sleep(Self.pause)) != nil
  }

  /// One judgement, and the messages that follow from it.
  package func turn() async {
    guard !channels.isEmpty else { return }
    let now = engine.dependencies.now()
    await load(at: now)
    let observed = judge.observe(engine.metrics, await beside(at: now), at: now)
    for channel in channels {
      let dropped = ledgers[channel.name, default: AlertLedger()].note(observed, for: channel, at: now)
      for key in dropped {
        engine.log(
          LogEvent(.error, "alert.dropped", [("channel", channel.name), ("rule", key.rule.rawValue)]))
      }
    }
    guard await holdsLease(at: now) else { return }
    await tell(at: now)
    await keep()
  }

  // MARK: Messages

  private func tell(at now: Timestamp) async {
    var messages: [(AlertChannel, AlertMessage)] = []
    for channel in channels {
      let due = ledgers[channel.name]?.due(for: channel, at: now) ?? []
      guard !due.isEmpty else { continue }
      var retry = retries[channel.name] ?? Retry(id: newMessageId())
      // A clock that was set back must not silence a channel.
      if let notBefore = retry.notBefore, now < notBefore, notBefore - now <= Self.pauseMost { continue }
      var message = AlertMessage(due, to: channel, id: retry.id, isSimulated: isSimulated, at: now)
      let told = message.news.map { "\($0.change.rawValue) \($0.key.text)" }
      if let before = retry.told, before != told { retry.id = newMessageId() }
      (message.id, retry.told, retry.notBefore) = (retry.id, told, nil)
      retries[channel.name] = retry
      messages.append((channel, message))
    }
    let engine = engine
    await withTaskGroup(of: (AlertChannel, AlertMessage, AlertAnswer).self) { group in
      for (channel, message) in messages {
        group.addTask { (channel, message, await Self.send(message, to: channel, engine)) }
      }
      for await (channel, message, answer) in group { note(answer, to: message, of: channel, at: now) }
    }
  }

  private func newMessageId() -> String { "alr_" + engine.dependencies.randomBytes(12).hexadecimal }

  private static let timeLimit = TimeSpan.seconds(10)

  private static func send(
    _ message: AlertMessage, to channel: AlertChannel, _ engine: PaymentEngine
  ) async -> AlertAnswer {
    let exchange = channel.mayBeInside ? engine.exchanges.anywhere : engine.exchanges.outside
    return await channel.send(message, by: exchange, at: engine.dependencies.now(), within: timeLimit)
  }

  private func note(_ answer: AlertAnswer, to message: AlertMessage, of channel: AlertChannel, at now: Timestamp) {
    engine.metrics.count(.alertMessagesTotal, [("channel", channel.name), ("result", answer.result)])
    let told = message.news.map { "\($0.change.rawValue) \($0.key.text)" }.joined(separator: ", ")
    switch answer {
    case .taken:
      retries[channel.name] = nil
      ledgers[channel.name]?.told(message.news, at: now)
      engine.log(LogEvent(.info, "alert.sent", [("channel", channel.name), ("told", told)]))
    case .refused(let code, let words):
      failed(channel, at: now)
      engine.log(
        LogEvent(
          .error, "alert.notSent",
          [("channel", channel.name), ("told", told), ("code", code), ("answer", words)]))
    case .unanswered(let why):
      failed(channel, at: now)
      engine.log(
        LogEvent(
          .error, "alert.notSent", [("channel", channel.name), ("told", told), ("code", "none"), ("answer", why)]))
    }
  }

  private static let pauseMost = TimeSpan.minutes(30)

  /// The pause doubles from 15 seconds to half an hour. What is over for a day is given up.
  private func failed(_ channel: AlertChannel, at now: Timestamp) {
    retries[channel.name]?.failures += 1
    let failures = min(retries[channel.name]?.failures ?? 1, 10)
    let pause = min(Self.pauseMost, .seconds(15 << Int64(failures - 1)))
    retries[channel.name]?.notBefore = now + pause
  }

  // MARK: What the metrics do not show

  /// A query for each app and store: more seldom than the rest.
  private static let comparisonsEvery = TimeSpan.minutes(10)

  private func beside(at now: Timestamp) async -> AlertJudge.Beside {
    let apps = engine.apps.all.filter { !$0.isRetired }.map(\.homeEnvironment)
    beside.apps = apps
    if let comparisonsReadAt, now >= comparisonsReadAt, now - comparisonsReadAt < Self.comparisonsEvery {
      return beside
    }
    comparisonsReadAt = now
    let from = (now - .days(10)).utcDay
    let records = try? await engine.read { reader in
      try apps.flatMap { app in
        try Store.allCases.flatMap {
          try reader.reconciliations(from: from, to: "9999-99-99", at: $0, in: app, limit: 40)
        }
      }
    }
    for record in records ?? [] {
      guard let doneAt = record.doneAt else { continue }
      let subject = "\(record.appEnvironment.app.text)/\(record.store.rawValue)"
      beside.comparedAt[subject] = max(beside.comparedAt[subject] ?? doneAt, doneAt)
    }
    return beside
  }

  // MARK: What survives a restart

  /// Reads what an earlier process, or another node, has told.
  private func load(at now: Timestamp) async {
    guard !isLoaded else { return }
    guard let text = try? await engine.read({ try $0.setting(DatabaseSetting.alertsTold) }) ?? "" else { return }
    isLoaded = true
    guard let stored = try? JSONReader.read(text.utf8) else { return }
    for member in stored.object ?? [] {
      ledgers[member.name, default: AlertLedger()].take(member.value, at: now)
    }
  }

  /// Writes what was told, if it has changed. A database that takes no writes delays no message.
  private func keep() async {
    guard ledgers.values.contains(where: \.isChanged) else { return }
    let names = Set(channels.map(\.name))
    ledgers = ledgers.filter { names.contains($0.key) }
    let text = JSONValue.members(ledgers.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }).text
    do {
      try await engine.transact { try $0.set(DatabaseSetting.alertsTold, to: text) }
      for name in ledgers.keys { ledgers[name]?.isChanged = false }
    } catch {
      engine.log(LogEvent(.warning, "alert.notKept", [("error", "\(error)")]))
    }
  }

  /// Whether this node tells the channels. If the database does not answer, it does: two messages are better than none.
  private func holdsLease(at now: Timestamp) async -> Bool {
    if let leasedUntil, leasedUntil - now > .seconds(60), leasedUntil - now <= Self.lease { return true }
    let (holder, wasHeld) = (holder, leasedUntil != nil)
    do {
      leasedUntil = try await engine.transact { transaction -> Timestamp? in
        let parts = (try transaction.setting(DatabaseSetting.alertsLease) ?? "").split(separator: " ")
        let until = parts.count == 2 ? Int64(parts[1]).map { Timestamp(milliseconds: $0) } : nil
        // One that ends later than any lease was written by a clock that was ahead.
        if let until, parts[0] != holder, until > transaction.now, until <= transaction.now + Self.lease {
          return nil
        }
        let next = transaction.now + Self.lease
        try transaction.set(DatabaseSetting.alertsLease, to: "\(holder) \(next.milliseconds)")
        return next
      }
    } catch { return true }
    // Another node has told in the meantime.
    if leasedUntil == nil { isLoaded = false }
    if leasedUntil != nil, !wasHeld { await load(at: now) }
    return leasedUntil != nil
  }
}

extension AlertChannel {
  /// Sends a message.
  func send(
    _ message: AlertMessage, by exchange: HTTPExchange, at now: Timestamp, within limit: TimeSpan
  ) async -> AlertAnswer {
    do throws(HTTPExchangeError) {
      return AlertAnswer(try await exchange.send(AlertRequest.make(message, to: self, at: now), limit), of: self)
    } catch { return AlertAnswer(error, of: self) }
  }

  /// Sends a test message.
  package func test(
    by exchange: HTTPExchange, _ dependencies: Dependencies, isSimulated: Bool
  ) async -> AlertAnswer {
    let id = "alr_" + dependencies.randomBytes(12).hexadecimal
    return await send(
      AlertMessage(testing: self, id: id, isSimulated: isSimulated), by: exchange, at: dependencies.now(),
      within: .seconds(10))
  }
}
