import AppStoreIntegration
import Console
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import Testing
import WeChatPayIntegration

/// English pages keep the words of the API, because the manual names them. Chinese pages have a word for each.
@Suite struct `A word of the API in the console` {
  private typealias Known = (name: String, words: BilingualText)

  /// All cases of an enumeration with their words.
  private static func all<Word: CaseIterable & RawRepresentable<String>>(
    of kind: Word.Type, _ words: (Word) -> BilingualText
  ) -> [Known] {
    kind.allCases.map { ($0.rawValue, words($0)) }
  }

  /// Whether nothing but the names of vendors is in Latin letters.
  private static func isChinese(_ text: String) -> Bool {
    let rest = ["App Store", "Apple"].reduce(text) { $0.replacing($1, with: "") }
    return rest.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
      && !rest.contains { $0.isASCII && $0.isLetter }
  }

  /// The kinds of differences, by the report that has them.
  private static var differences: [[Known]] {
    [
      all(of: ReconciliationReport.Finding.Kind.self) { Words.words(for: $0) },
      all(of: FundFlowReport.Finding.Kind.self) { Words.words(for: $0) },
      all(of: AppStoreReport.Finding.Kind.self) { Words.words(for: $0) },
      all(of: RevenueReport.Difference.Kind.self) { Words.words(for: $0) },
    ]
  }

  @Test func `that only a newer version knows is shown as it is`() {
    for language in Language.allCases {
      #expect(Words.difference("ofTomorrow", language) == "ofTomorrow")
      #expect(Words.row("of tomorrow", language) == "of tomorrow")
    }
  }

  @Test func `stays in English, and has a Chinese word of its own in each enumeration`() {
    let states: [FundFlowReport.State] = [.compared, .later(""), .refused("")]
    let enumerations: [[Known]] = [
      Self.all(of: MatchRule.self) { Words.words(for: $0) }, Self.all(of: MatchFlag.self) { Words.words(for: $0) },
      Self.all(of: AuditLogEntry.Outcome.self) { Words.words(for: $0) },
      Self.all(of: RevenueReport.Dimension.self) { Words.words(for: $0) },
      Self.all(of: ProductKind.self) { Words.words(for: $0) },
      Self.all(of: Entitlement.State.self) { Words.words(for: $0) },
      Self.all(of: VerifiedRenewal.PriceIncrease.self) { Words.words(for: $0) },
      Self.all(of: NodeRecord.State.self) { Words.words(for: $0) }, states.map { ($0.name, Words.words(for: $0)) },
    ]
    for enumeration in enumerations {
      for (name, words) in enumeration {
        #expect(words.english == name && Self.isChinese(words.chinese), "\(name): \(words)")
      }
      #expect(Set(enumeration.map { $0.words.chinese }).count == enumeration.count, "\(enumeration)")
    }
  }

  @Test func `for a difference, or for what a search tried, has words in both languages`() {
    let meanings = Self.all(of: SearchMeaning.self) { Words.words(for: $0) }
    for enumeration in Self.differences + [meanings] {
      for (name, words) in enumeration {
        #expect(Self.isChinese(words.chinese), "\(name): \(words)")
        #expect(!name.contains { $0.isUppercase } || !words.english.contains(name), "\(name): \(words)")
      }
      #expect(Set(enumeration.map { $0.words.chinese }).count == enumeration.count, "\(enumeration)")
    }
  }

  @Test func `for a difference means the same in each report that has it`() {
    for (name, words) in Self.differences.flatMap({ $0 }) {
      for language in Language.allCases { #expect(Words.difference(name, language) == words[language]) }
    }
  }

  @Test func `for a row of the queue is Chinese on Chinese pages`() {
    for row in OperatorQueueTable.rows {
      #expect(Words.row(row.name, .english) == row.name)
      #expect(Self.isChinese(Words.row(row.name, .chinese)), "\(row.name)")
    }
  }

  @Test func `stands on no Chinese page of an order, a payment, a search without hits or the audit log`() async throws {
    let fixture = try ConsoleFixture()
    let order = try await fixture.paidOrder()
    let viewer = try await fixture.browser(as: .viewer)
    #expect(await viewer.get("/console/audit-log").status == 403)
    let (payment, search) = ("/console/app/shop/payments/appStore/simulated/1001", "/console/app/shop/search?q=nothing")

    let english = try await fixture.browser(as: .operator, in: "*")
    #expect(await english.get(fixture.pagePath(of: order)).page.contains("<b>exact</b>"))
    #expect(await english.get(search).page.contains("reference of your backend, reference of the app, transaction"))
    #expect(await english.get("/console/audit-log").page.contains("refused: role_not_allowed"))

    let chinese = try await fixture.browser(as: .operator, in: "*", language: "zh")
    let shown = await chinese.get(fixture.pagePath(of: order)).page
    #expect(shown.contains("<b>精确匹配</b>") && shown.contains("<small>精确匹配</small>") && !shown.contains(">exact<"))
    let paid = await chinese.get(payment).page
    #expect(paid.contains(">精确匹配<") && !paid.contains(">exact<"))
    let tried = await chinese.get(search).page
    #expect(tried.contains("后端业务单号、应用业务单号、交易号") && !tried.contains("backendReference"))
    let log = await chinese.get("/console/audit-log").page
    #expect(log.contains(">已完成<") && log.contains("已拒绝：role_not_allowed") && !log.contains(">done<"))
  }
}
