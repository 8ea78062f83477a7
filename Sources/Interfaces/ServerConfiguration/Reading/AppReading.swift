import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import TOMLConfiguration

/// Reads one `[[app]]`.
struct AppReading {
  let reading: ConfigurationReading
  let table: ConfigurationTable
  let profile: DatabaseProfile

  init(_ reading: ConfigurationReading, _ table: ConfigurationTable, profile: DatabaseProfile) {
    self.reading = reading
    self.table = table
    self.profile = profile
  }

  private var home: StoreEnvironment { profile == .production ? .production : .simulated }

  func app() -> AppSettings? {
    let id = table.required("id", .string(bytes: 1...64))
    let bundleId = table.optional("bundle_id", .string(bytes: 1...255))
    let appAppleId = table.optional("app_apple_id", .integer(in: 1 ... .max))
    let links = universalLinks(bundleId)
    let mode = table.value("mode", .word, default: AppPolicy.Mode.deliver)
    let deliverFrom = table.optional("deliver_from", .moment)
    let claims = ClaimPolicy(
      isStrict: table.value("claims", .word, default: ClaimWord.standard) == .strict,
      perDay: Int(table.value("claims_per_day", .integer(in: 0...1000), default: 5)))
    let tokenMeaning = table.value("token_meaning", .word, default: TokenMeaning.order)
    let sandbox = SandboxPolicyReading(table, now: reading.now).policy()
    let finishWhen = table.value("finish_when", .word, default: AppPolicy.FinishPolicy.granted)
    let restore = table.value("restore", .word, default: RestorePolicy.keepOwner)
    let referenceFromApp = table.value("reference_from_app", .bool, default: false)
    let ceilings = creditCeilings()
    let events = table.value("events", .bool, default: false)
    let commission = table.optional("commission_percent", .integer(in: 0...100)).map { Int($0) }
    let endpoints = table.tables("endpoint").compactMap { endpoint($0) }
    let forwardTarget = table.table("forward_notifications_to").flatMap { self.target($0) }
    let isRetired = table.value("retired", .bool, default: false)
    let sold = CatalogReading(table).catalog(isRetired: isRetired)
    let catalog = sold?.catalog
    let weChatPay = table.table("wechat_pay").flatMap { WeChatPayReading(reading, $0, profile: profile).settings() }
    let appStore = table.table("app_store").flatMap {
      AppStoreReading(reading, $0, profile: profile).settings(bundleId: bundleId)
    }
    checkPrices(catalog, sellsAtWeChatPay: weChatPay != nil)
    checkForProduction(bundleId, appAppleId, deliverFrom: deliverFrom, mode: mode)
    notePlaceholders(bundleId, appAppleId, catalog: catalog)
    if mode == .observe, weChatPay != nil {
      table.refuse(
        "mode", .contradiction,
        details:
          "An order at WeChat Pay is made here, and no other system could deliver it: leave [app.wechat_pay] out.")
    }
    refuseSharedEnvironments(endpoints)
    guard let id, let catalog else { return nil }
    var app = AppSettings(
      id: AppIdentifier(id), home: home,
      identity: bundleId.map { AppIdentity(bundleId: $0, appAppleId: appAppleId) }, catalog: catalog)
    app.appStore?.server = appStore?.api
    app.appStore?.verifyReceipt = appStore?.receipts
    app.weChatPay = weChatPay
    app.policy.isRetired = isRetired
    app.policy.universalLinks = links
    app.policy.claims = claims
    app.policy.tokenMeaning = tokenMeaning
    app.policy.mode = mode
    app.policy.deliverFrom = deliverFrom
    app.policy.sandboxPurchases = sandbox
    app.policy.finishWhen = finishWhen
    app.policy.restore = restore
    app.policy.referenceFromApp = referenceFromApp
    (app.policy.events, app.policy.commissionPercent, app.policy.credits) = (events, commission, ceilings)
    app.policy.endpoints = endpoints
    app.policy.forwardNotificationsTo = forwardTarget
    app.policy.descriptions = sold?.weChatDescriptions ?? [:]
    return app
  }

  /// The strictness for claims: `ClaimPolicy.isStrict`.
  private enum ClaimWord: String, CaseIterable {
    case standard
    case strict
  }

  /// The required values of a production app. Without its Apple id, a genuine purchase of another app could pass in
  /// production. Without `deliver_from`, it is unknown what an earlier system has delivered. An app that only observes
  /// delivers nothing.
  private func checkForProduction(
    _ bundleId: String?, _ appAppleId: Int64?, deliverFrom: Timestamp?, mode: AppPolicy.Mode
  ) {
    guard profile == .production else { return }
    if bundleId != nil, appAppleId == nil {
      table.refuse("app_apple_id", .missingKey, details: "A production app with a bundle_id needs it.")
    }
    if deliverFrom == nil, mode == .deliver {
      table.refuse(
        "deliver_from", .missingKey,
        details: "A production app needs the moment since which Counterfoil delivers for it, or mode = \"observe\".")
    }
  }

  /// Notes template values that the team must replace.
  private func notePlaceholders(_ bundleId: String?, _ appAppleId: Int64?, catalog: Catalog?) {
    let doubts = reading.doubts
    doubts.check(table, bundleId: bundleId)
    doubts.check(table, "bundle_id", value: bundleId, isPlaceholder: [ConfigurationTemplate.bundleId], profile: profile)
    let (number, placeholder) = (appAppleId.map { "\($0)" }, "\(ConfigurationTemplate.appAppleId)")
    doubts.check(table, "app_apple_id", value: number, isPlaceholder: [placeholder], profile: profile)
    doubts.check(table, catalog, profile: profile)
  }

  /// A price at WeChat Pay without a merchant there is a mistake; without this check only a purchase would show it.
  private func checkPrices(_ catalog: Catalog?, sellsAtWeChatPay: Bool) {
    for product in catalog?.products ?? [] where product.weChatPrice != nil {
      if product.kind == .autoRenewable {
        table.refuse(
          "product", .contradiction,
          details: "\(product.id) renews itself, which WeChat Pay does not: leave wechat_price_fen out.")
      } else if !sellsAtWeChatPay, table.keys.contains("wechat_pay") == false {
        table.refuse(
          "product", .contradiction, details: "\(product.id) has wechat_price_fen, and there is no [app.wechat_pay].")
      }
    }
  }

  private func refuseSharedEnvironments(_ endpoints: [DeliveryEndpoint]) {
    var taken: Set<StoreEnvironment> = []
    for endpoint in endpoints {
      guard taken.isDisjoint(with: endpoint.environments) else {
        table.refuse(
          "endpoint", .contradiction, details: "Two endpoints take deliveries of the same environment.")
        return
      }
      taken.formUnion(endpoint.environments)
    }
  }

  private func endpoint(_ table: ConfigurationTable) -> DeliveryEndpoint? {
    let name = table.required("name", .string(bytes: 1...64))
    let url = table.required(
      "url", .string(bytes: 8...2048).mapped("an https or http URL") { Self.isWebAddress($0) ? $0 : nil })
    let environments: [StoreEnvironment]? = table.optional("environments", .list(of: .word))
    let references = table.required("secrets", .list(of: .secret)) ?? []
    let secrets = references.compactMap { reading.resolve($0, table, key: "secrets") }
      .compactMap { Self.webhookSecret($0, table, key: "secrets") }
    let types: [EventType]? = table.optional("types", .list(of: .word))
    let mayBeInside = table.value("may_be_inside", .bool, default: false)
    if references.isEmpty {
      table.refuse("secrets", .malformed, details: "At least one secret is needed; make one with `counterfoil init`.")
    }
    if let url { reading.doubts.check(table, url: url, mayBeInside: mayBeInside, profile) }
    guard let name, let url, secrets.count == references.count, !secrets.isEmpty else { return nil }
    var endpoint = DeliveryEndpoint(
      name: name, url: url, environments: Set(environments ?? [home]), secrets: secrets)
    endpoint.types = Set(types ?? [])
    endpoint.mayBeInside = mayBeInside
    return endpoint
  }

  /// What the backend may give.
  private func creditCeilings() -> [CreditCeiling] {
    let credits = table.tables("credit").compactMap { credit($0) }
    if Set(credits.map(\.unit)).count < credits.count {
      table.refuse("credit", .contradiction, details: "Two ceilings are of one unit.")
    }
    return credits
  }

  /// A unit that the backend may give.
  private func credit(_ table: ConfigurationTable) -> CreditCeiling? {
    let unit = table.required("unit", .string(bytes: 1...64))
    let most = table.required("per_user_and_day", .integer(in: 1...ContractLimits.debitMax))
    guard let unit, let most else { return nil }
    return CreditCeiling(unit: UnitName(unit), perUserAndDay: most)
  }

  /// The target that receives the store's notifications unchanged.
  private func target(_ table: ConfigurationTable) -> ForwardTarget? {
    let url = table.required(
      "url", .string(bytes: 8...2048).mapped("an https or http URL") { Self.isWebAddress($0) ? $0 : nil })
    let mayBeInside = table.value("may_be_inside", .bool, default: false)
    if let url { reading.doubts.check(table, url: url, mayBeInside: mayBeInside, profile) }
    return url.map { ForwardTarget(url: $0, mayBeInside: mayBeInside) }
  }

  private static func isWebAddress(_ text: String) -> Bool {
    text.hasPrefix("https://") || text.hasPrefix("http://")
  }

  /// Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes.
  static func webhookSecret(_ secret: Secret, _ table: ConfigurationTable, key: String) -> Secret? {
    guard let read = secret.withBytes({ WebhookSecret.secret(String(decoding: $0, as: UTF8.self)) }) else {
      table.refuse(
        key, .malformed, details: "A webhook secret is whsec_ followed by base64 of 24 to 64 bytes.")
      return nil
    }
    return read
  }
}
