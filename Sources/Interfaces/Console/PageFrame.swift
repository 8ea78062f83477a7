import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A page's head, navigation and foot around its content.
struct PageFrame {
  /// The pages of the navigation.
  enum Place: Hashable {
    case overview, needsAttention, orders, payments, deliveries, approvals, auditLog, account, accounts, refunds,
      subscriptions, extensions, reconciliation, bills, consumptionRequests, reports, complaints, endpoints,
      notifications,
      products, users, health
  }

  let title: String
  let content: Markup
  let language: Language
  let settings: ConsoleSettings
  let requestId: String
  /// The path of this page with its query, for the change of language.
  let path: String
  var at: Place?
  var visitor: Visitor?

  /// Who is signed in, and where they work.
  struct Visitor {
    let account: OperatorAccount
    let formToken: String
    /// Nil on pages of the whole installation.
    let app: AppPolicy?
    /// How many things need attention; more than 99 are not counted.
    var attention = 0
    /// How many approvals wait for them; nil where nothing needs one.
    var approvals: Int?
  }

  /// A page without a signed-in operator.
  static func bare(
    _ title: String, _ content: Markup, for visit: ConsoleVisit, in settings: ConsoleSettings
  ) -> PageFrame {
    PageFrame(
      title: title, content: .element(.div, [.style("sign-in")], content), language: visit.language,
      settings: settings, requestId: visit.requestId, path: visit.isRead ? visit.request.target : "/console")
  }

  func response(status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status,
      fields: ["Content-Type": "text/html; charset=utf-8", "Content-Language": language.rawValue],
      body: markup.document)
  }

  var markup: Markup {
    .element(
      .html, [.of(.lang, language.rawValue)],
      .element(
        .head, .element(.meta, [.of(.charset, "utf-8")]),
        .element(.meta, [.of(.name, "viewport"), .of(.content, "width=device-width, initial-scale=1")]),
        .element(.title, .text("\(title) · Counterfoil")),
        .element(.link, [.of(.rel, "icon"), .of(.type, "image/svg+xml"), .link(ConsoleAssets.icon.link)]),
        .element(.link, [.of(.rel, "stylesheet"), .link(ConsoleAssets.style.link)]),
        .element(.script, [.source(ConsoleAssets.script.link), .of(.defer)])),
      .element(
        .body, .element(.a, [.style("skip"), .link(.place("content"))], .text(Words.skip[language])), banner, top,
        frame, visitor == nil ? Markup() : KeyHelp.dialog(in: language)))
  }

  private var banner: Markup {
    guard settings.isSimulated else { return Markup() }
    return .element(
      .section, [.style("banner"), .of(.ariaLabel, Words.environment[language])],
      .element(.span, .text(Words.simulated[language])))
  }

  private var top: Markup {
    let brand = Markup.element(
      .a, [.style("brand"), .link(LinkTarget(["console"]))], Icon.brand, .element(.span, "Counterfoil"))
    guard let visitor else {
      return .element(.header, [.style("top")], brand, .element(.div, [.style("end")], languageForm, themeButton))
    }
    let signOut = Markup.element(
      .form, [.style("plain"), .of(.method, "post"), .action(LinkTarget(["console", "leave"]))],
      Self.hidden("token", visitor.formToken),
      .element(
        .button, [.style("quiet"), .of(.type, "submit")], .text(Words.signOut[language])))
    return .element(
      .header, [.style("top")], brand, visitor.app.map(realm) ?? Markup(), visitor.app.map(searchForm) ?? Markup(),
      .element(
        .div, [.style("end")], languageForm, themeButton,
        .element(.span, [.style("quiet hide-s")], .foreign(visitor.account.name.text)), signOut))
  }

  private func realm(_ app: AppPolicy) -> Markup {
    .element(
      .a, [.style("realm"), .link(LinkTarget(["console", "app", app.id.text]))], .element(.b, .text(app.id.text)),
      Display.environmentTag(app.home, language))
  }

  private func searchForm(_ app: AppPolicy) -> Markup {
    .element(
      .form,
      [.style("search"), .of(.role, "search"), .action(LinkTarget(["console", "app", app.id.text, "search"]))],
      .element(.label, [.style("sr"), .of(.for, "q")], .text(Words.searchLabel[language])), Icon.search,
      .element(
        .input,
        [
          .of(.id, "q"), .of(.name, "q"), .of(.type, "search"), .of(.autocomplete, "off"), .of(.spellcheck, "false"),
          .of(.maxlength, "128"), .of(.placeholder, Words.searchHint[language]),
        ]), .element(.kbd, [.of(.ariaHidden, "true")], "/"))
  }

  private var languageForm: Markup {
    let other: Language = language == .chinese ? .english : .chinese
    return .element(
      .form, [.style("plain"), .of(.method, "post"), .action(LinkTarget(["console", "language"]))],
      Self.hidden("language", other.rawValue), Self.hidden("to", path),
      .element(
        .button,
        [.style("quiet"), .of(.type, "submit"), .of(.lang, other.rawValue)],
        .text(Words.otherLanguage[language])))
  }

  private var themeButton: Markup {
    .element(
      .button, [.style("quiet hide-s"), .of(.type, "button"), .of(.dataThemeSwitch), .of(.hidden)],
      .text(Words.theme[language]))
  }

  private var frame: Markup {
    let main = Markup.element(.main, [.of(.id, "content"), .of(.tabindex, "-1")], content)
    let foot = Markup.element(
      .footer, [.style("foot")], .element(.span, .text("Counterfoil \(settings.version)")),
      .element(.span, .text("\(Words.request[language]) \(requestId)")),
      .element(.span, .text(Display.zoneName)), visitor == nil ? Markup() : KeyHelp.opener(in: language))
    guard let visitor else { return main + foot }
    return .element(.div, [.style("frame")], navigation(visitor), main, foot)
  }

  private func navigation(_ visitor: Visitor) -> Markup {
    func item(
      _ place: Place, _ words: BilingualText, to path: [String], key: String? = nil, count: Int = 0
    ) -> Markup {
      let badge = Markup.element(.span, [.style("count bad")], .text(count > 99 ? "99+" : "\(count)"))
      return .element(
        .li,
        .element(
          .a,
          [.link(LinkTarget(path))] + (place == at ? [.of(.ariaCurrent, "page")] : [])
            + (key.map { [.of(.dataKey, $0)] } ?? []),
          .text(words[language]), count == 0 ? Markup() : badge))
    }
    var groups: [Markup] = []
    if let app = visitor.app {
      let base = ["console", "app", app.id.text]
      groups += [
        .element(
          .ul, item(.overview, Words.overview, to: base),
          item(
            .needsAttention, Words.needsAttention, to: base + ["needs-attention"], key: KeyHelp.toQueue,
            count: visitor.attention),
          visitor.approvals.map { item(.approvals, Words.approvals, to: base + ["approvals"], count: $0) } ?? Markup()
        ),
        .element(.p, [.style("group")], .text(Words.money[language])),
        .element(
          .ul, item(.orders, Words.orders, to: base + ["orders"], key: KeyHelp.toOrders),
          item(.payments, Words.payments, to: base + ["payments"]),
          item(.users, UserList.title, to: base + ["users"]),
          item(.refunds, Words.refunds, to: base + ["refunds"]),
          item(.subscriptions, Words.subscriptions, to: base + ["subscriptions"]),
          item(.extensions, ExtensionPage.title, to: base + ["extensions"]),
          item(.reconciliation, Words.reconciliation, to: base + ["reconciliation"]),
          item(.bills, BillsPage.title, to: base + ["bills"]),
          item(.reports, ReportPage.title, to: base + ["reports"]),
          item(.complaints, Words.complaints, to: base + ["complaints"]),
          item(.consumptionRequests, Words.consumptionRequests, to: base + ["consumption-requests"])),
        .element(.p, [.style("group")], .text(Words.backend[language])),
        .element(
          .ul, item(.deliveries, Words.deliveries, to: base + ["deliveries"], key: KeyHelp.toDeliveries),
          item(.endpoints, EndpointPage.title, to: base + ["endpoints"])),
        .element(.p, [.style("group")], .text(Words.installation[language])),
        .element(
          .ul, item(.products, CatalogPage.title, to: base + ["products"]),
          item(.notifications, NotificationList.title, to: base + ["notifications"]),
          item(.health, HealthPage.title, to: base + ["health"])),
      ]
    }
    groups.append(
      .element(
        .ul, item(.auditLog, Words.auditLog, to: ["console", "audit-log"], key: KeyHelp.toAuditLog),
        item(.account, Words.account, to: ["console", "me"]),
        visitor.account.role(in: OperatorAccount.everyApp) == .admin
          ? item(.accounts, Words.accounts, to: ["console", "accounts"]) : Markup()))
    return .element(.nav, [.style("side"), .of(.ariaLabel, Words.console[language])], all: groups)
  }

  static func hidden(_ name: String, _ value: String) -> Markup {
    .element(.input, [.of(.type, "hidden"), .of(.name, name), .of(.value, value)])
  }
}
