import PaymentModel
import PaymentPrimitives
import TOMLConfiguration

/// The keys at the top of the file, of `[tls]`, `[backup]`, `[erasures]` and
/// `[retention]`.
enum ServerKeys {
  static let all = top + DatabaseKeys.table + tls + backup + erasures + retention + AlertChannelKeys.all

  private static let top = [
    ConfigurationKey(
      "profile", .word(["production", "simulated"]), standard: .value(#""production""#), reload: .restart,
      example: #"profile = "production""#,
      meaning: BilingualText(
        "Whether the server works with real stores. A simulated server asks simulators and never real stores. A "
          + "database keeps the profile that it was made with.",
        "服务器是否对接真实商店。simulated 只访问模拟器，从不访问真实商店。数据库沿用创建时的取值。")),
    ConfigurationKey(
      "address", .text(bytes: 1...255), standard: .value(#""127.0.0.1""#), reload: .restart,
      example: #"address = "127.0.0.1""#,
      meaning: BilingualText(
        "The IP address to listen on. 0.0.0.0 and :: stand for all addresses of the machine; they need TLS, or a proxy "
          + "that is named in trusted_proxies.",
        "监听的 IP 地址。0.0.0.0 与 :: 表示本机所有地址，此时需要启用 TLS，或在 trusted_proxies 中写明代理。")),
    ConfigurationKey(
      "port", .integer(0...65535), standard: .value("8080"), reload: .restart, example: "port = 8080",
      meaning: BilingualText(
        "The TCP port to listen on. 0 takes any free port, which only tests need.", "监听的 TCP 端口。0 表示任意空闲端口，仅供测试使用。")),
    DatabaseKeys.short,
    ConfigurationKey(
      "drain_limit", .duration(.zero ... .minutes(10)), standard: .value(#""30s""#), reload: .restart,
      example: #"drain_limit = "30s""#,
      meaning: BilingualText(
        "How long requests may continue after the server was asked to stop.", "收到停止信号后，正在处理的请求最多还能继续多久。")),
    ConfigurationKey(
      "trusted_proxies", .list(.text(bytes: 1...64), count: 0...1000), standard: .value("[]"), reload: .restart,
      example: #"trusted_proxies = ["127.0.0.1", "::1", "10.0.0.0/8"]"#,
      meaning: BilingualText(
        "The proxies in front, as addresses and blocks; at most 256. Only they may name the address of a client. "
          + "Without them all clients behind a proxy count as one caller.",
        "前置代理的地址或网段，最多 256 项。只有它们可以声明客户端地址；不填写时，代理后的所有客户端会被视为同一个调用方。")),
    ConfigurationKey(
      "forwarded_header", .word(["X-Forwarded-For", "Forwarded"]), standard: .value(#""X-Forwarded-For""#),
      reload: .restart, example: #"forwarded_header = "Forwarded""#,
      meaning: BilingualText(
        "The header in which a trusted proxy names its client. Forwarded is the one of RFC 7239.",
        "受信任的代理用哪个请求头说明客户端地址。Forwarded 见 RFC 7239。")),
    ConfigurationKey(
      "connection_share", .integer(1...100), standard: .value("25"), reload: .restart,
      example: "connection_share = 25", unit: BilingualText("percent", "百分比"),
      meaning: BilingualText(
        "The share of all connections that one address may hold. Trusted proxies are exempt.",
        "单个地址最多可占用的连接比例。受信任的代理不受此限。")),
    ConfigurationKey(
      "proxy_protocol", .bool, standard: .value("false"), reload: .restart,
      example: #"trusted_proxies = ["127.0.0.1"]"# + "\nproxy_protocol = true",
      meaning: BilingualText(
        "Whether each connection of a trusted proxy begins with a header of the PROXY protocol, version 1 or 2.",
        "受信任代理的每个连接是否以 PROXY 协议（版本 1 或 2）头部开始。")),
    ConfigurationKey(
      "web_origins", .list(.text(bytes: 1...300), count: 0...1000), standard: .value("[]"), reload: .restart,
      example: #"web_origins = ["https://shop.example.com"]"#,
      meaning: BilingualText(
        "The web pages that may call the routes of users from a browser (CORS), as origins without a path; at most "
          + "100. Without them only pages that come from the server's own origin may.",
        "允许在浏览器中调用用户路由的网页来源（CORS），只写来源、不写路径，最多 100 项。不填写时，只有与服务器同源的网页可以调用。")),
    ConfigurationKey(
      "trusted_roots", .list(.text(bytes: 1...4096), count: 0...1000), standard: .value("[]"), reload: .restart,
      example: #"trusted_roots = ["simulator-root.pem"]"#, isSimulatedOnly: true,
      meaning: BilingualText(
        "PEM files with root certificates that are trusted beside Apple's, such as that of a simulated App Store.",
        "除 Apple 根证书外还信任的根证书 PEM 文件，例如模拟 App Store 的根证书。")),
    ConfigurationKey(
      "unsigned_environments", .list(.word(["xcode", "localTesting"]), count: 0...1000), standard: .value("[]"),
      reload: .restart, example: #"unsigned_environments = ["xcode"]"#, isSimulatedOnly: true,
      meaning: BilingualText(
        "Environments of StoreKit whose purchases no Apple server signs. Anybody can make such purchases.",
        "接受哪些没有 Apple 签名的 StoreKit 环境。任何人都能伪造此类购买。")),
  ]

  private static let tls = [
    ConfigurationKey(
      "tls", .table, reload: .restart, example: #"certificate = "chain.pem""# + "\n" + #"key = "key.pem""#,
      meaning: BilingualText(
        "TLS of the server itself. Leave it out behind a proxy that ends TLS. A reload reads the files again: new "
          + "connections get the new certificate, and a pair that does not match leaves the old one in force.",
        "服务器自身的 TLS。若由前置代理终结 TLS，则不必填写。重新加载时会重读文件：新连接使用新证书；证书与私钥不匹配时继续使用旧证书。")),
    ConfigurationKey(
      "tls.certificate", .text(bytes: 1...4096), standard: .required, reload: .newConnections,
      example: #"certificate = "chain.pem""#,
      meaning: BilingualText(
        "PEM file of the certificate chain, the server's own certificate first.", "证书链的 PEM 文件，服务器自己的证书排在最前。")),
    ConfigurationKey(
      "tls.key", .text(bytes: 1...4096), standard: .required, reload: .newConnections, example: #"key = "key.pem""#,
      meaning: BilingualText(
        "PEM file of the private key of that certificate, without a password. In production only its owner and group "
          + "may read it.",
        "该证书私钥的 PEM 文件，不带密码。正式环境中只有属主和属组可以读取。")),
  ]

  private static let erasures = [
    ConfigurationKey(
      "erasures", .table, reload: .restart, example: #"list = "/var/lib/counterfoil-erasures/list""#,
      meaning: BilingualText(
        "Where the server notes which users were erased, so that a restored backup does not bring them back.",
        "服务器在此记录已删除的用户，使恢复备份时不会重新出现。")),
    ConfigurationKey(
      "erasures.list", .text(bytes: 1...4096), standard: .required, reload: .restart,
      example: #"list = "/var/lib/counterfoil-erasures/list""#,
      meaning: BilingualText(
        "The file of the list, outside the database and outside its backups. It holds no id of a user. Each server "
          + "needs a file of its own.",
        "名单文件，须位于数据库及其备份之外，其中不含用户编号。每台服务器须使用自己的文件。")),
  ]

  private static let retention = [
    ConfigurationKey(
      "retention", .table, reload: .restart, example: #"deliveries = "90d""#,
      meaning: BilingualText(
        "How long the server keeps what money does not need any more. Without this table, and without a key of it, "
          + "everything stays for ever.",
        "服务器对资金处理不再需要的数据保留多久。不填写此表或其中某项时，相应数据永久保留。")),
    ConfigurationKey(
      "retention.deliveries", .duration(.days(1)...RetentionPolicy.most),
      standard: .depends(BilingualText("for ever", "永久")), reload: .restart, example: #"deliveries = "90d""#,
      meaning: BilingualText(
        "Bodies of deliveries and their failed attempts, counted from the acknowledgement. The row stays, so its id is "
          + "never used again.",
        "发货通知的内容及失败的尝试，自确认时起算。该行保留，其编号不会再次使用。")),
    ConfigurationKey(
      "retention.sessions", .duration(.days(1)...RetentionPolicy.most),
      standard: .depends(BilingualText("for ever", "永久")), reload: .restart, example: #"sessions = "30d""#,
      meaning: BilingualText(
        "Ended sessions of the console, its links and begun sign-ins. The audit log stays.",
        "控制台已结束的会话、登录链接与未完成的登录。操作记录始终保留。")),
    ConfigurationKey(
      "retention.evidence", .duration(RetentionPolicy.evidenceMin...RetentionPolicy.most),
      standard: .depends(BilingualText("for ever", "永久")), reload: .restart, example: #"evidence = "3650d""#,
      meaning: BilingualText(
        "What a store signed, counted from its arrival; then its SHA-256 stays. At least three years (China); ten "
          + "where it is an accounting voucher. What money still needs stays longer.",
        "商店签名的凭证，自收到时起算；期满后仅保留其 SHA-256。至少三年（中国法规要求）；作为会计凭证时为十年。资金处理仍需要的凭证会继续保留。")),
  ]

  private static let backup = [
    ConfigurationKey(
      "backup", .table, reload: .restart, example: #"folder = "/var/backups/counterfoil""#,
      meaning: BilingualText(
        "The server copies its database by itself and verifies each copy. Without this table it takes no backup.",
        "服务器自动备份数据库并校验每个副本。不填写则不备份。")),
    ConfigurationKey(
      "backup.folder", .text(bytes: 1...4096), standard: .required, reload: .restart,
      example: #"folder = "/var/backups/counterfoil""#,
      meaning: BilingualText("The folder of the backups, best on another disk.", "存放备份的文件夹，最好位于另一块磁盘。")),
    ConfigurationKey(
      "backup.every", .duration(.minutes(1) ... .days(7)), standard: .value(#""6h""#), reload: .restart,
      example: #"every = "6h""#,
      meaning: BilingualText("The time between two backups.", "两次备份的间隔。")),
    ConfigurationKey(
      "backup.keep", .integer(1...100_000), standard: .value("14"), reload: .restart, example: "keep = 14",
      unit: BilingualText("backups", "个备份"),
      meaning: BilingualText("How many backups stay; older ones are removed.", "保留的备份数量；更早的会被删除。")),
  ]
}
