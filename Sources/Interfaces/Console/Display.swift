import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// How values look on a page.
enum Display {
  /// Times are shown in the zone of both stores' bills; the exact time in UTC stands beside it.
  private static let zone = TimeSpan.hours(8)
  static let zoneName = "UTC+8"

  /// `2026-11-22 14:02:41`.
  static func text(_ moment: Timestamp) -> String {
    let text = (moment + zone).iso8601
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  static func day(_ moment: Timestamp) -> String { String(text(moment).prefix(10)) }

  /// `14:02:41`.
  static func clock(_ moment: Timestamp) -> String { String(text(moment).suffix(8)) }

  static func time(_ moment: Timestamp, shown: String? = nil) -> Markup {
    .element(
      .time, [.of(.datetime, moment.iso8601), .of(.title, moment.iso8601)], .text(shown ?? text(moment)))
  }

  /// How long something waits: `3 min`, `2 d`.
  static func age(_ span: TimeSpan, _ language: Language) -> String {
    let seconds = max(0, span.milliseconds / 1000)
    let (number, english, chinese): (Int64, String, String) =
      switch seconds {
      case ..<60: (seconds, "s", "秒")
      case ..<3600: (seconds / 60, "min", "分钟")
      case ..<172_800: (seconds / 3600, "h", "小时")
      default: (seconds / 86_400, "d", "天")
      }
    return BilingualText("\(number) \(english)", "\(number) \(chinese)")[language]
  }

  /// `¥6.00`, or `USD 0.99`.
  static func text(_ price: StatedPrice) -> String {
    let text = decimal(milliunits: price.milliunits)
    let sign = price.milliunits < 0 ? "-" : ""
    return sign + symbol(price.currency) + text.dropFirst(sign.count)
  }

  /// `6.00`, or `0.125` where a currency has three decimals.
  static func decimal(milliunits: Int64) -> String {
    let units = milliunits.magnitude
    let rest = units % 1000
    let digits =
      rest % 10 == 0 ? String(String(rest / 10 + 100).dropFirst()) : String(String(rest + 1000).dropFirst())
    return (milliunits < 0 ? "-" : "") + "\(units / 1000).\(digits)"
  }

  /// WeChat Pay's amounts are in fen.
  static func text(_ money: Money) -> String {
    let (milliunits, overflow) = money.minorUnits.multipliedReportingOverflow(by: 10)
    if overflow || money.currency != .cny { return "\(money.minorUnits) (\(money.currency.code), minor units)" }
    return text(StatedPrice(milliunits: milliunits, currency: money.currency.code))
  }

  private static func symbol(_ currency: String) -> String { currency == "CNY" ? "¥" : currency + " " }

  /// What a product gives: `100 coin`, `premium`.
  static func text(_ rule: GrantRule) -> String {
    switch rule {
    case .units(let unit, let perPiece): "\(perPiece) \(unit)"
    case .entitlement(let name, _): name.text
    }
  }

  static func text(_ content: GrantContent, _ language: Language) -> String {
    switch content {
    case .units(let unit, let amount): return "+\(amount) \(unit)"
    case .entitlement(let name, _, let until):
      guard let until else { return name.text }
      return BilingualText("\(name) until \(day(until))", "\(name)，至 \(day(until))")[language]
    }
  }

  static func text(_ amount: AttentionItem.Amount) -> String {
    switch amount {
    case .money(let money): text(money)
    case .statedPrice(let price): text(price)
    case .units(let amount, let unit): "\(amount) \(unit)"
    }
  }

  /// What was paid, if the store says it.
  static func amount(of payment: Payment) -> String? { payment.facts.price.map { text($0) } }

  /// An id in fixed width, with a button that copies it.
  static func id(_ text: String, _ language: Language) -> Markup {
    .element(.span, [.style("id")], .text(text)) + copyButton(text, language)
  }

  static func id(_ text: String, to target: LinkTarget) -> Markup {
    .element(.a, [.link(target), .style("id")], .text(text))
  }

  /// It is hidden until the script shows it: without a script nothing can be copied.
  static func copyButton(_ text: String, _ language: Language) -> Markup {
    .element(
      .button,
      [
        .style("copy"), .of(.type, "button"), .of(.dataCopy, text), .of(.hidden),
        .of(.ariaLabel, "\(Words.copy[language]) \(text.prefix(12))"),
      ], Icon.copy)
  }

  /// Names and values in two columns; those without a value are left out.
  static func pairs(_ pairs: [(name: BilingualText, value: Markup?)], _ language: Language) -> Markup {
    .element(
      .dl, [.style("kv")],
      all: pairs.flatMap { pair in
        pair.value.map { [.element(.dt, .text(pair.name[language])), .element(.dd, $0)] } ?? []
      })
  }

  static func tag(_ text: String, _ tone: Tone = .plain) -> Markup {
    .element(.span, [.style(tone == .plain ? "tag" : "tag " + tone.rawValue)], .text(text))
  }

  static func environmentTag(_ environment: StoreEnvironment, _ language: Language) -> Markup {
    .element(
      .span, [.style(environment == .production ? "tag live" : "tag hatched")],
      .text(Words.name(of: environment)[language]))
  }
}

/// How good or bad something is. A word stands beside every colour.
package enum Tone: String, Sendable {
  case plain = ""
  case ok, warn, bad, info
}

/// Small drawings; each has a word beside it.
enum Icon {
  static let brand = drawing(
    20, [path("M2 4h7v12H2zM11 4h7v12h-7z", "1.7"), path("M10 3v14", "1.4", dashes: "1.6 1.6")])
  static let search = drawing(16, [circle("7", "7", radius: "4.8", width: "1.6"), path("M10.6 10.6L14 14", "1.6")])
  static let copy = drawing(
    16,
    [
      .element(
        .rect,
        [
          .of(.x, "5"), .of(.y, "5"), .of(.width, "9"), .of(.height, "9"), .of(.rx, "1.5"), .of(.fill, "none"),
          .of(.stroke, "currentColor"), .of(.strokeWidth, "1.5"),
        ]), path("M11 2.5H3.5a1 1 0 0 0-1 1V11", "1.5"),
    ])
  static let done = drawing(16, [ring, path("M4.8 8.3l2.2 2.2 4.3-4.6", "1.8")])
  static let failed = drawing(16, [ring, path("M8 4.2v4.6M8 10.6v1.4", "1.9")])
  static let open = drawing(16, [ring])

  private static let ring = circle("8", "8", radius: "7", width: "1.6")

  private static func drawing(_ side: Int, _ parts: [Markup]) -> Markup {
    .element(
      .svg,
      [
        .of(.width, "16"), .of(.height, "16"), .of(.viewBox, "0 0 \(side) \(side)"), .of(.ariaHidden, "true"),
      ], all: parts)
  }

  private static func path(_ d: String, _ width: String, dashes: String? = nil) -> Markup {
    .element(
      .path,
      [.of(.d, d), .of(.fill, "none"), .of(.stroke, "currentColor"), .of(.strokeWidth, width)]
        + (dashes.map { [.of(.strokeDashes, $0)] } ?? []))
  }

  private static func circle(_ x: String, _ y: String, radius r: String, width: String) -> Markup {
    .element(
      .circle,
      [
        .of(.cx, x), .of(.cy, y), .of(.r, r), .of(.fill, "none"), .of(.stroke, "currentColor"),
        .of(.strokeWidth, width),
      ])
  }
}
