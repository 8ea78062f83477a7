import PaymentPrimitives
import StrictJSON

/// What one channel was told, and what it must be told: the life of each of its alerts.
struct AlertLedger: Sendable {
  /// One alert from the first measurement to the message that it is over.
  struct Record: Hashable, Sendable {
    /// Since when the condition holds.
    var since: Timestamp
    var lastHeldAt: Timestamp
    var value: Double
    /// Whether it has held long enough.
    var isStarted = false
    var toldAt: Timestamp?
    var endedAt: Timestamp?
  }

  /// An end that could not be told within this time is dropped.
  static let endToldWithin = TimeSpan.days(1)

  private(set) var records: [AlertKey: Record] = [:]
  /// Whether something has changed that must survive a restart.
  var isChanged = false

  /// Takes the present measurement.
  ///
  /// - Returns: alerts that were over and could not be told for a day.
  mutating func note(_ observed: [AlertObservation], for channel: AlertChannel, at now: Timestamp) -> [AlertKey] {
    for observation in observed where observation.key.rule.severity >= channel.severity {
      note(observation, for: channel, at: now)
    }
    var dropped: [AlertKey] = []
    for (key, record) in records where record.lastHeldAt != now {
      if record.lastHeldAt > now {
        // The clock was set back.
        records[key]?.lastHeldAt = now
      } else if !record.isStarted {
        records[key] = nil
      } else if let endedAt = record.endedAt {
        guard now - endedAt > Self.endToldWithin else { continue }
        records[key] = nil
        isChanged = true
        dropped.append(key)
      } else if now - record.lastHeldAt >= channel.quiet {
        records[key]?.endedAt = now
        isChanged = true
      }
    }
    return dropped
  }

  private mutating func note(_ observation: AlertObservation, for channel: AlertChannel, at now: Timestamp) {
    let lasting = channel.lasting(observation.key.rule)
    var record =
      records[observation.key] ?? Record(since: now, lastHeldAt: now, value: observation.value)
    if let lasted = observation.lasted {
      // An age says by itself whether the condition holds. A younger one is that of something else.
      guard lasted >= lasting else { return }
      if !record.isStarted { record.since = now - lasted }
    }
    // A clock that was set back must not make it endless.
    record.since = min(record.since, now)
    record.lastHeldAt = now
    record.value = observation.value
    if !record.isStarted, now - record.since >= lasting { (record.isStarted, isChanged) = (true, true) }
    if record.endedAt != nil { (record.endedAt, isChanged) = (nil, true) }
    records[observation.key] = record
  }

  /// What the channel must be told now, the most urgent first.
  func due(for channel: AlertChannel, at now: Timestamp) -> [AlertNews] {
    records.compactMap { key, record -> AlertNews? in
      guard record.isStarted else { return nil }
      let change: AlertNews.Change
      if record.endedAt != nil {
        change = .ended
      } else if let toldAt = record.toldAt {
        guard now - toldAt >= channel.remindEvery || toldAt > now else { return nil }
        change = .reminder
      } else {
        change = .started
      }
      return AlertNews(
        key: key, change: change, value: record.value, since: record.since, endedAt: record.endedAt)
    }.sorted { ($1.key.rule.severity, $0.since, $0.key.text) < ($0.key.rule.severity, $1.since, $1.key.text) }
  }

  /// Records that the channel took a message.
  mutating func told(_ news: [AlertNews], at now: Timestamp) {
    for item in news {
      isChanged = true
      if item.change == .ended { records[item.key] = nil } else { records[item.key]?.toldAt = now }
    }
  }
}

extension AlertKey {
  /// For sorting and for the log.
  var text: String { subject.isEmpty ? rule.rawValue : rule.rawValue + " " + subject }
}

/// One change of an alert, as a channel is told.
struct AlertNews: Hashable, Sendable {
  enum Change: String, Hashable, Sendable {
    case started
    case reminder
    case ended
  }

  let key: AlertKey
  let change: Change
  let value: Double
  let since: Timestamp
  let endedAt: Timestamp?

  init(key: AlertKey, change: Change, value: Double, since: Timestamp, endedAt: Timestamp? = nil) {
    self.key = key
    self.change = change
    self.value = value
    self.since = since
    self.endedAt = endedAt
  }
}

extension AlertLedger {
  /// The alerts that have started, for the database.
  var json: JSONValue {
    .array(
      records.filter(\.value.isStarted).sorted { $0.key.text < $1.key.text }.map { key, record in
        .members([
          ("rule", .string(key.rule.rawValue)), ("subject", .string(key.subject)),
          ("since", .integer(record.since.milliseconds)),
          ("value", .integer(Int64(max(-9e15, min(9e15, record.value * 1000))))),
          ("toldAt", record.toldAt.map { .integer($0.milliseconds) }),
          ("endedAt", record.endedAt.map { .integer($0.milliseconds) }),
        ])
      })
  }

  /// The alerts that an earlier process left. They are over only after they were judged for a while: the windows of a
  /// new process are empty at first.
  mutating func take(_ stored: JSONValue, at now: Timestamp) {
    // What this process has seen and not told yet stays.
    records = records.filter { $0.value.toldAt == nil && $0.value.endedAt == nil }
    for item in stored.array ?? [] {
      guard let rule = item["rule"]?.string.flatMap({ AlertRule(rawValue: $0) }),
        let subject = item["subject"]?.string, let since = item["since"]?.integer
      else { continue }
      var record = Record(
        since: Timestamp(milliseconds: since), lastHeldAt: now, value: Double(item["value"]?.integer ?? 0) / 1000)
      record.isStarted = true
      record.toldAt = item["toldAt"]?.integer.map { Timestamp(milliseconds: $0) }
      record.endedAt = item["endedAt"]?.integer.map { Timestamp(milliseconds: $0) }
      records[AlertKey(rule, about: subject)] = record
    }
  }
}
