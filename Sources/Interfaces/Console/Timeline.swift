import Markup
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What happened, in order, with the gaps between.
struct Timeline {
  struct Entry {
    let at: Timestamp
    let title: BilingualText
    let topic: JournalWords.Topic
    let mark: String
    var who = ""
    var why = Markup()
    var proof = Markup()
  }

  /// A pause that is longer gets a line of its own.
  private static let pause = TimeSpan.minutes(10)

  let entries: [Entry]
  /// How many older entries are left out.
  var omitted = 0
  /// The way to the details and the evidence; empty if they are shown, or there are none.
  private let hidden: Markup

  /// The journal, the store's statements and the attempts to tell the backend.
  init(
    journal: [JournalEntry], omitted: Int = 0, evidence: [Evidence] = [], attempts: [DeliveryAttempt] = [],
    deliveries: [Delivery] = [], _ visit: AppVisit
  ) {
    self.omitted = omitted
    let language = visit.language
    // Notes are the team's own words. All else may name a person, and is shown on demand.
    let (mayRead, shows) = (visit.may(.readPersonalData), visit.showsPersonal)
    let isHiding = journal.contains { $0.details != "{}" && $0.what != JournalEvent.operatorNoted.name }
    hidden = !shows && (isHiding || !evidence.isEmpty) ? visit.hidden : Markup()
    let told = journal.map { entry in
      let words = JournalWords.of(entry.what)
      var told = Entry(at: entry.at, title: words.title, topic: words.topic, mark: words.mark)
      told.who = entry.payment.map { Words.name(of: $0.store)[language] + " · " + $0.transaction.text } ?? ""
      if mayRead, entry.what == JournalEvent.operatorNoted.name, let note = Self.note(in: entry) {
        (told.who, told.why) = (note.by, .foreign(note.text))
      } else if let details = visit.personal.details(of: entry), details != "{}" {
        told.proof = Self.proof(Self.details[language], details)
      }
      return told
    }
    let statements = evidence.map { Self.entry(for: $0, shows: shows, language) }
    let tries = attempts.map { Self.entry(for: $0, language) }
    let acknowledged = deliveries.compactMap { Self.entry(for: $0) }
    entries = (told + statements + tries + acknowledged).enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }

  private static func entry(for evidence: Evidence, shows: Bool, _ language: Language) -> Entry {
    let title =
      switch evidence.origin {
      case .client: BilingualText("The app sent evidence", "客户端提交凭证")
      case .notification: BilingualText("The store sent a notification", "商店发来通知")
      case .storeAnswer: BilingualText("The store answered", "商店作出答复")
      case .backend: BilingualText("The backend sent evidence", "后端提交凭证")
      case .operator: BilingualText("An operator decided", "操作员作出决定")
      }
    var entry = Entry(at: evidence.receivedAt, title: title, topic: .store, mark: "")
    entry.who = Words.name(of: evidence.payment.store)[language]
    if shows { entry.proof = proof(payload[language], SignedText.readable(evidence.text)) }
    return entry
  }

  private static func entry(for attempt: DeliveryAttempt, _ language: Language) -> Entry {
    let title = BilingualText("Your backend has not acknowledged", "后端未确认")
    var entry = Entry(at: attempt.at, title: title, topic: .backend, mark: "fault")
    entry.who = "\(attempt.endpoint) · #\(attempt.number) · \(attempt.milliseconds) ms"
    let answer = String(decoding: attempt.answer, as: UTF8.self)
    let status = attempt.status.map { "HTTP \($0)" } ?? ""
    entry.why = .text([status, attempt.problem ?? ""].filter { !$0.isEmpty }.joined(separator: ", "))
    if !answer.isEmpty { entry.proof = proof(BilingualText("First bytes of the answer", "应答的开头")[language], answer) }
    return entry
  }

  private static func entry(for delivery: Delivery) -> Entry? {
    guard case .acknowledged(let moment) = delivery.state else { return nil }
    var entry = Entry(
      at: moment, title: BilingualText("Your backend acknowledged", "后端已确认"), topic: .backend, mark: "money")
    entry.who = "\(delivery.kind.type) · \(delivery.id)"
    return entry
  }

  private static func note(in entry: JournalEntry) -> (by: String, text: String)? {
    guard let json = try? JSONReader.read(entry.details.utf8), let by = json["operator"]?.string,
      let text = json["reason"]?.string
    else { return nil }
    return (by, text)
  }

  private static let more = BilingualText("Details and evidence: ", "详情与凭证：")
  private static let details = BilingualText("Details", "详情")
  private static let payload = BilingualText("What the store said", "商店的说法")

  private static func proof(_ summary: String, _ text: String) -> Markup {
    .element(
      .details, [.style("proof")], .element(.summary, .text(summary)),
      .element(.div, [.style("inside")], .element(.pre, [.of(.tabindex, "0")], .foreign(text))))
  }

  func markup(_ language: Language) -> Markup {
    guard !entries.isEmpty else {
      return .element(.p, [.style("empty")], .text(BilingualText("Nothing happened yet.", "尚无记录。")[language]))
    }
    var items: [Markup] = []
    if omitted > 0 {
      items.append(
        gap(BilingualText("\(omitted) older entries are not shown", "另有 \(omitted) 条更早的记录未显示")[language]))
    }
    var last: Timestamp?
    for entry in entries {
      if let last, entry.at - last >= Self.pause {
        let span = Display.age(entry.at - last, language)
        items.append(gap(BilingualText("\(span) later", "\(span)后")[language]))
      }
      items.append(item(entry, language))
      last = entry.at
    }
    let above =
      hidden.isEmpty ? hidden : Markup.element(.p, [.style("muted above")], .text(Self.more[language]), hidden)
    return above + .element(.ol, [.style("timeline")], all: items)
  }

  private func gap(_ words: String) -> Markup {
    .element(
      .li, [.style("pause")], .element(.div), .element(.div, [.style("dot")]),
      .element(.div, [.style("what")], .text(words)))
  }

  private func item(_ entry: Entry, _ language: Language) -> Markup {
    .element(
      .li, entry.mark.isEmpty ? [] : [.style(entry.mark)],
      .element(
        .div, [.style("when")], Display.time(entry.at, shown: Display.clock(entry.at)),
        .element(.small, .text(Display.day(entry.at)))),
      .element(.div, [.style("dot")]),
      .element(
        .div, [.style("what")],
        .element(
          .div, [.style("line")], .element(.h3, .text(entry.title[language])),
          entry.who.isEmpty ? Markup() : .element(.span, [.style("who")], .foreign(entry.who))),
        entry.why.isEmpty ? Markup() : .element(.p, [.style("why")], entry.why), entry.proof))
  }
}
