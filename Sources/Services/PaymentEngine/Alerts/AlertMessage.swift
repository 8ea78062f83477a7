import PaymentPrimitives
import StrictJSON

/// One message with everything that a channel must be told now, as far as it fits.
struct AlertMessage: Sendable {
  /// Stays the same while one message is repeated.
  var id: String
  /// What it tells; empty for a test.
  let news: [AlertNews]
  let title: String
  /// One block for each change: its headline, what it means, and the address of its page.
  let blocks: [Block]

  struct Block: Hashable, Sendable {
    let headline: String
    let text: String
    let runbook: String
  }

  /// - Parameter isSimulated: whether no real money is concerned, which each message says.
  init(_ due: [AlertNews], to channel: AlertChannel, id: String, isSimulated: Bool, at now: Timestamp) {
    var (taken, blocks, bytes): ([AlertNews], [Block], Int) = ([], [], 0)
    for news in due {
      let block = Self.block(news, for: channel, at: now)
      bytes += block.headline.utf8.count + block.text.utf8.count + block.runbook.utf8.count + Self.markupBytes
      // The rest follows in the next message.
      guard bytes <= channel.kind.textBytesMax || taken.isEmpty else { break }
      taken.append(news)
      blocks.append(block)
    }
    self.id = id
    self.news = taken
    self.blocks = blocks
    let count = BilingualText(
      taken.count == 1 ? "one alert" : "\(taken.count) alerts", "\(taken.count) 条告警")[channel.language]
    title = Self.head(isSimulated, channel.language) + count
  }

  /// A message that tests a channel.
  init(testing channel: AlertChannel, id: String, isSimulated: Bool) {
    self.id = id
    news = []
    title = Self.head(isSimulated, channel.language) + BilingualText("a test", "测试")[channel.language]
    blocks = [
      Block(
        headline: BilingualText("This channel works.", "此渠道可用。")[channel.language],
        text: BilingualText(
          "Channel \(channel.name) of Counterfoil sends alerts here.", "Counterfoil 的告警渠道 \(channel.name) 会发送到这里。")[
            channel.language],
        runbook: channel.runbooks ?? (channel.language == .chinese ? "docs/alerts.zh-CN.md" : "docs/alerts.md"))
    ]
  }

  /// Robots that demand a keyword find this word in each message.
  private static func head(_ isSimulated: Bool, _ language: Language) -> String {
    isSimulated
      ? BilingualText("Counterfoil (simulated): ", "Counterfoil（模拟）：")[language]
      : BilingualText("Counterfoil: ", "Counterfoil：")[language]
  }

  /// What the markup of a block takes at most.
  private static let markupBytes = 64

  private static func block(_ news: AlertNews, for channel: AlertChannel, at now: Timestamp) -> Block {
    let (rule, language) = (news.key.rule, channel.language)
    let urgency =
      switch rule.severity {
      case .page: BilingualText("page", "紧急")
      case .ticket: BilingualText("ticket", "工单")
      }
    let change =
      switch news.change {
      case .started: BilingualText("Started", "开始")
      case .reminder: BilingualText("Still", "仍在持续")
      case .ended: BilingualText("Over", "已恢复")
      }
    let subject = news.key.subject.isEmpty ? "" : " (\(news.key.subject))"
    let head = BilingualText(
      "[\(urgency.english)] \(change.english): \(rule.title.english)\(subject)",
      "【\(urgency.chinese)】\(change.chinese)：\(rule.title.chinese)\(subject)")
    let text: BilingualText
    if let endedAt = news.endedAt {
      let span = AlertRule.time(Double((endedAt - news.since).milliseconds) / 1000)
      text = BilingualText(
        "It lasted \(span.english), since \(news.since.iso8601).",
        "持续 \(span.chinese)，始于 \(news.since.iso8601)。")
    } else {
      let measured = rule.measured(news.value)
      text = BilingualText(
        "\(rule.meaning.english) Measured: \(measured.english). Since \(news.since.iso8601).",
        "\(rule.meaning.chinese)测得：\(measured.chinese)。始于 \(news.since.iso8601)。")
    }
    return Block(
      headline: line(head[language]), text: line(text[language]), runbook: channel.runbook(rule))
  }

  /// Without line breaks, which would end a headline of the vendors' markup.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
  }
}

extension AlertChannel.Kind {
  /// How much text one message takes: WeCom takes 4,096 bytes of Markdown, the others about 20 kB.
  fileprivate var textBytesMax: Int { self == .wecom ? 3500 : 15_000 }
}
