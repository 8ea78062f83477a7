import AppStoreIntegration
import AppStoreProtocol
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import WeChatPayIntegration
import WeChatPayProtocol

/// `counterfoil config check`: reads a configuration as the server would, and explains it.
enum ConfigCheckCommand {
  static let command = Command.of(
    "config check", BilingualText("read a configuration as the server would", "像服务器一样读取并检查配置"),
    usage: """
      usage: counterfoil config check [--config FILE]

      Reads the configuration with all keys and secrets that it names, and says in a few lines what it means; a secret
      is never shown. What is wrong is named with line, column and remedy, all of it at once; so is what can be read and
      cannot work: an address in the inner network without leave, missing files of [tls], plain HTTP outside this
      machine, and in production what the template of `counterfoil init` has where your own values belong. Where the
      database is here, a configuration is refused that drops an app or product of which something was bought, or
      changes its kind.

        --config FILE       the server's configuration (otherwise COUNTERFOIL_CONFIG, or counterfoil.toml here)

      Exit codes: 0 it can be served, 2 it cannot, or wrong usage.

      """,
    valued: ["config"]
  ) { options, platform in
    let language = CommandLineProgram.language(platform)
    guard let path = try ServerFlags.configurationPath(options, platform) else {
      throw UsageError("there is no configuration: name one with --config, or write one with `counterfoil init`.")
    }
    let configuration = try ServerConfiguration.read(path, refusingDoubts: true, platform)
    let gaps = try await StoredPurchases.gaps(configuration, platform)
    platform.print((lines(configuration) + gaps.said).map { $0[language] + "\n" }.joined())
    guard gaps.found.isEmpty else {
      throw CommandFailure(gaps.found.map { $0.text[language] }.joined(separator: "\n"), code: ExitCode.usage)
    }
    return ExitCode.done
  }

  private static func lines(_ configuration: ServerConfiguration) -> [BilingualText] {
    let listen = configuration.listen
    return [
      BilingualText(
        "\(configuration.profile.rawValue), \(listen.address):\(listen.port), database \(configuration.database.name)",
        "\(configuration.profile.rawValue)，\(listen.address):\(listen.port)，数据库 \(configuration.database.name)")
    ] + proxies(listen) + configuration.apps.flatMap { app in lines(app) }
  }

  private static func proxies(_ listen: ListenSettings) -> [BilingualText] {
    let proxies = listen.trustedProxies
    guard !proxies.blocks.isEmpty else { return [] }
    let blocks = proxies.blocks.map(\.description).joined(separator: " ")
    let header = proxies.header.rawValue
    return [
      BilingualText(
        "  proxies \(blocks) name their clients in \(header)"
          + (listen.readsProxyProtocol ? " and by the PROXY protocol" : ""),
        "  可信代理 \(blocks)，客户端地址取自 \(header)" + (listen.readsProxyProtocol ? " 与 PROXY 协议" : ""))
    ]
  }

  private static func lines(_ settings: AppSettings) -> [BilingualText] {
    let app = settings.policy
    let products = app.catalog.products
    var lines = [
      BilingualText("\(app.id): \(products.count) products", "\(app.id)：\(products.count) 个商品")
    ]
    if app.isRetired {
      lines.append(BilingualText("  retired: sells nothing; everything else continues", "  已停用：不再销售，其余照常"))
    } else if !app.catalog.retired.isEmpty {
      let count = app.catalog.retired.count
      lines.append(BilingualText("  \(count) of them no longer sold", "  其中 \(count) 个已停止销售"))
    }
    if let identity = settings.appStore?.identity {
      let count = products.count { !$0.appStoreProducts.isEmpty }
      lines.append(
        BilingualText(
          "  App Store: \(identity.bundleId), \(count) products", "  App Store：\(identity.bundleId)，\(count) 个商品"))
    }
    if let appStore = settings.appStore?.server { lines.append(line(appStore)) }
    if let receipts = settings.appStore?.verifyReceipt {
      let hasSecret = receipts.sharedSecret != nil
      lines.append(
        BilingualText(
          "  verifyReceipt is called as a last resort, \(hasSecret ? "with" : "without") a shared secret",
          "  必要时最后询问 verifyReceipt，\(hasSecret ? "已配置" : "未配置")共享密钥"))
    }
    lines += unusual(app)
    if let appStore = settings.appStore?.server { lines += unusual(appStore) }
    if let weChatPay = settings.weChatPay {
      lines.append(line(weChatPay, of: app.id, products: products.count { $0.weChatPrice != nil }))
    }
    if app.isObserving {
      lines.append(
        BilingualText(
          "  only observes: grants nothing, delivers nothing", "  仅旁路观察：不入账，不发货"))
    } else if let moment = app.deliverFrom {
      lines.append(
        BilingualText(
          "  delivers what was bought from \(moment.iso8601)", "  为 \(moment.iso8601) 起的购买发货"))
    }
    if let target = app.forwardNotificationsTo {
      lines.append(
        BilingualText("  notifications passed on to \(target.url)", "  通知转发至 \(target.url)"))
    }
    for endpoint in app.endpoints {
      lines.append(BilingualText("  deliveries to \(endpoint.url)", "  发货通知发往 \(endpoint.url)"))
    }
    return lines
  }

  private static func line(_ weChatPay: WeChatPayAccess, of app: AppIdentifier, products count: Int) -> BilingualText {
    let keys =
      weChatPay.platformKeys.entries.map { "\($0.identifier)" }
      + (weChatPay.downloadsCertificates ? ["certificates"] : [])
    let (mchid, verified) = (weChatPay.merchant.mchid, keys.joined(separator: ", "))
    let cashiers = weChatPay.appids.keys.map(\.rawValue).sorted().joined(separator: " ")
    let address = weChatPay.notifyURL(of: app)
    return BilingualText(
      "  WeChat Pay: merchant \(mchid), \(count) products, \(cashiers), "
        + "verified by \(verified), notified at \(address)",
      "  微信支付：商户号 \(mchid)，\(count) 个商品，\(cashiers)，验签 \(verified)，通知地址 \(address)")
  }

  /// The policies that differ from the default.
  private static func unusual(_ app: AppPolicy) -> [BilingualText] {
    var lines: [BilingualText] = []
    switch app.sandboxPurchases {
    case .separate: break
    case .testers(let users):
      lines.append(
        BilingualText(
          "  sandbox purchases are shown to \(users.count) testers", "  沙盒购买对 \(users.count) 位测试用户可见"))
    case .review(let until):
      lines.append(
        BilingualText(
          "  sandbox purchases are shown to everybody until \(until.iso8601)",
          "  沙盒购买对所有用户可见，截止 \(until.iso8601)"))
    case .refuse: lines.append(BilingualText("  sandbox purchases are refused", "  拒绝沙盒购买"))
    }
    if app.tokenMeaning == .user {
      lines.append(
        BilingualText(
          "  a token that names no order names the user with that UUID",
          "  未对应订单的 appAccountToken 视为用户的 UUID"))
    }
    if app.finishWhen == .kept {
      lines.append(
        BilingualText(
          "  phones finish what is kept, though not yet decided",
          "  只要已保存凭证，尚无结论时客户端也可结束交易"))
    }
    switch app.restore {
    case .keepOwner: break
    case .transfer:
      lines.append(BilingualText("  a restore moves a right to the user who asks", "  恢复购买会把权益转移给发起的用户"))
    case .share:
      lines.append(BilingualText("  a restore lets another user share an entitlement", "  恢复购买后，另一用户可共享该权益"))
    }
    for policy in DebtPolicy.allCases where policy != .negative {
      let count = app.catalog.products.count { $0.debt == policy }
      guard count > 0 else { continue }
      lines.append(
        BilingualText(
          "  debts after refunds: \(policy.rawValue), \(count) products",
          "  退款后的欠款：\(policy.rawValue)，\(count) 个商品"))
    }
    return lines
  }

  private static func unusual(_ appStore: AppStoreServerAccess) -> [BilingualText] {
    var lines: [BilingualText] = []
    if !appStore.userOffers.isEmpty {
      let names = appStore.userOffers.sorted().joined(separator: " ")
      lines.append(BilingualText("  offers on request: \(names)", "  用户可自行获取的优惠：\(names)"))
    }
    if let consumption = appStore.consumption {
      guard consumption.preference != .none else { return lines }
      let wish = consumption.preference.rawValue
      lines.append(BilingualText("  refund preference sent to Apple: \(wish)", "  向 Apple 表明的退款意愿：\(wish)"))
    } else {
      lines.append(
        BilingualText(
          "  no consumption information is sent to Apple", "  不向 Apple 提供消耗信息"))
    }
    return lines
  }

  private static func line(_ appStore: AppStoreServerAccess) -> BilingualText {
    let credentials = appStore.credentials
    return BilingualText(
      "  App Store Server API: key \(credentials.keyId) of issuer \(credentials.issuerId), "
        + "\(appStore.hosts.production) and \(appStore.hosts.sandbox)\(appStore.isReleased ? "" : ", not released")",
      "  App Store Server API：密钥 \(credentials.keyId)，issuer \(credentials.issuerId)，\(appStore.hosts.production) 与 "
        + "\(appStore.hosts.sandbox)\(appStore.isReleased ? "" : "，应用尚未发布")")
  }
}
