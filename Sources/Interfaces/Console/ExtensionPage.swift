import AppStoreIntegration
import AppStoreProtocol
import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Extensions of the renewal dates of all subscribers to a product: one form for each product, and how far Apple is.
struct ExtensionPage {
  /// What Apple says of a request that the page was asked about.
  enum Progress {
    case told(MassExtendRenewalDateStatusResponse)
    case failed(CodedError<EngineErrorCode>)
  }

  let visit: AppVisit
  let asked: (product: String, identifier: String)?
  let progress: Progress?

  private var language: Language { visit.language }

  static let title = BilingualText("Extensions", "延长续订")

  /// The products of Apple that subscribers have, those that are no longer sold included.
  static func products(of app: AppPolicy) -> [StoreProductIdentifier] {
    app.catalog.products.filter { $0.kind == .autoRenewable }.flatMap(\.appStoreProducts)
  }

  var markup: Markup {
    .element(.div, [.style("head")], .element(.h1, .text(Self.title[language])))
      + .element(.p, .text(Self.explanation[language])) + progressPanel + question + products
  }

  private var progressPanel: Markup {
    guard let asked, let progress else { return Markup() }
    let facts: Markup
    switch progress {
    case .failed(let error):
      facts = .element(.p, .text(error.code.meaning[language] + " " + error.code.remedy[language]))
    case .told(let status):
      facts = Display.pairs(
        [
          (Words.state, .text((status.complete ? Self.complete : Self.underWay)[language])),
          (Self.completed, status.completeDate.map { Display.time($0) }),
          (Self.succeeded, status.succeededCount.map { .text("\($0)") }),
          (Self.failed, status.failedCount.map { .text("\($0)") }),
        ], language)
    }
    return .element(
      .section, [.style("panel")],
      .element(
        .header, .element(.h2, .foreign(asked.product), " ", .foreign(asked.identifier))),
      .element(.div, [.style("body")], facts))
  }

  private var question: Markup {
    let options = Self.products(of: visit.app).map { product in
      Markup.element(
        .option, [.of(.value, product.text)] + (product.text == asked?.product ? [.of(.selected)] : []),
        .text(product.text))
    }
    return .element(
      .section, [.style("panel")],
      .element(
        .form, [.style("filters"), .action(visit.link("extensions"))],
        .element(
          .label, .text(Words.product[language]), .element(.select, [.of(.name, "product")], all: options)),
        .element(
          .label, .text(Self.identifier[language]),
          .element(
            .input,
            [
              .of(.name, "identifier"), .of(.value, asked?.identifier ?? ""), .of(.maxlength, "128"), .of(.required),
            ])),
        .element(.button, [.style("button"), .of(.type, "submit")], .text(Self.ask[language]))))
  }

  private var products: Markup {
    guard visit.may(ConsoleAction.extendAll.permission) else { return Markup() }
    let items = Self.products(of: visit.app).map { product in
      Markup.element(
        .li, .element(.b, .foreign(product.text)),
        .element(
          .div, [.style("actions")],
          visit.form(
            .extendAll, on: ["app-store-products", product.text],
            given: [.identifier: "\(Display.day(visit.visit.now))-\(visit.newPress().prefix(8))"])))
    }
    let empty = Markup.element(.p, [.style("empty")], .text(Self.none[language]))
    return .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(Words.subscriptions[language]))),
      items.isEmpty ? empty : .element(.ul, [.style("items")], all: items))
  }

  private static let explanation = BilingualText(
    "Apple puts off the renewal dates of all active subscribers to a product, and takes nothing back. One subscription"
      + " is extended on its own page.",
    "Apple 延长某商品全部有效订阅的续订日期，且不可撤销。单个订阅请在其页面上延长。")
  private static let identifier = BilingualText("Name of the request", "请求标识")
  private static let ask = BilingualText("Ask Apple", "询问 Apple")
  private static let underWay = BilingualText("under way at Apple", "Apple 处理中")
  private static let complete = BilingualText("complete", "已完成")
  private static let completed = BilingualText("Completed", "完成时间")
  private static let succeeded = BilingualText("Extended", "已延长")
  private static let failed = BilingualText("Not extended", "未延长")
  private static let none = BilingualText(
    "The catalog has no subscription of the App Store.", "商品目录中没有 App Store 订阅。")
}

extension ConsolePages {
  func showExtensions(_ visit: AppVisit) async throws -> HTTPResponse {
    var asked: (product: String, identifier: String)?
    var progress: ExtensionPage.Progress?
    if let product = visit.visit.query("product"), let identifier = visit.visit.query("identifier") {
      asked = (product, identifier)
      do {
        progress = .told(
          try await engine.massExtension(
            of: StoreProductIdentifier(product), identifier: identifier, in: nil, for: visit.app))
      } catch let error as CodedError<EngineErrorCode> { progress = .failed(error) }
    }
    let page = ExtensionPage(visit: visit, asked: asked, progress: progress)
    return console.page(ExtensionPage.title[visit.language], page.markup, for: visit, at: .extensions)
  }
}
