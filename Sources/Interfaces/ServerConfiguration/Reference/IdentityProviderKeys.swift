import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[console.proxy]`.
enum IdentityProviderKeys {
  static let all = token + trust + roles

  private static let keysStandard = ConfigurationKey.Standard.depends(
    BilingualText("keys_file or keys_url, one of the two", "keys_file 与 keys_url 二选一"))

  private static let token = [
    ConfigurationKey(
      "console.proxy", .table, reload: .restart,
      example: """
        issuer = "https://login.example.com"
        audience = "counterfoil"
        header = "X-Identity-Token"
        trusted_proxies = ["127.0.0.1", "::1"]
        keys_file = "jwks.json"
        """,
      meaning: BilingualText(
        "Operators may sign in to the console with the signed token of an identity provider, which a proxy passes on.",
        "操作员可凭身份提供商签名的令牌登录控制台，令牌由代理传递。")),
    ConfigurationKey(
      "console.proxy.issuer", .text(bytes: 1...255), standard: .required, reload: .restart,
      example: #"issuer = "https://login.example.com""#,
      meaning: BilingualText(
        "The issuer (iss) of the tokens, exactly as they state it. Issuer and subject name the person.",
        "令牌的签发者（iss），须与令牌中完全一致。签发者与主体（sub）共同确定一个人。")),
    ConfigurationKey(
      "console.proxy.audience", .text(bytes: 1...255), standard: .required, reload: .restart,
      example: #"audience = "counterfoil""#,
      meaning: BilingualText(
        "The audience (aud) of the tokens. A token for others, or also for others, is refused.",
        "令牌的受众（aud）。受众不符或包含其他受众的令牌会被拒绝。")),
    ConfigurationKey(
      "console.proxy.header", .text(bytes: 1...64), standard: .required, reload: .restart,
      example: #"header = "X-Identity-Token""#,
      meaning: BilingualText(
        "The header field with the token. The proxy must replace what browsers send in it.",
        "携带令牌的请求头。代理必须覆盖浏览器自行发送的同名请求头。")),
    ConfigurationKey(
      "console.proxy.trusted_proxies", .list(.text(bytes: 1...64), count: 1...256), standard: .required,
      reload: .restart, example: #"trusted_proxies = ["127.0.0.1", "::1"]"#,
      meaning: BilingualText(
        "The addresses of the proxy in front of the console. From others the header means nothing.",
        "控制台前置代理的地址。来自其他地址的该请求头无效。")),
  ]

  private static let trust = [
    ConfigurationKey(
      "console.proxy.keys_file", .text(bytes: 1...4096), standard: keysStandard, reload: .restart,
      example: #"keys_file = "jwks.json""#,
      meaning: BilingualText(
        "A file with the provider's public keys (JWKS). It is read again each hour, and for a key that is not in it.",
        "身份提供商公钥（JWKS）的文件。每小时重新读取；遇到其中没有的密钥时也会重新读取。")),
    ConfigurationKey(
      "console.proxy.keys_url", .text(bytes: 8...2048), standard: keysStandard, reload: .restart,
      example: #"keys_url = "https://login.example.com/.well-known/jwks.json""#,
      meaning: BilingualText(
        "The address of these keys. They are fetched each hour, and for an unknown key, at most once a minute.",
        "上述公钥的网址。每小时获取一次；遇到未知密钥时也会获取，每分钟最多一次。")),
    ConfigurationKey(
      "console.proxy.algorithms", .list(.word(["ES256", "RS256"]), count: 1...2),
      standard: .value(#"["ES256", "RS256"]"#), reload: .restart, example: #"algorithms = ["ES256"]"#,
      meaning: BilingualText(
        "The algorithms of signatures that are taken. The kind of the key decides which one it is.",
        "接受的签名算法。具体使用哪种由密钥类型决定。")),
    ConfigurationKey(
      "console.proxy.second_factors", .list(.text(bytes: 1...64), count: 0...16), standard: .value(#"["mfa"]"#),
      reload: .restart, example: #"second_factors = ["mfa", "hwk"]"#,
      meaning: BilingualText(
        "The words in amr that say that a second factor was shown. Without one of them the console asks for its own.",
        "amr 中表示已通过第二重验证的取值。令牌中没有其中任何一个时，控制台会要求自己的第二重验证。")),
  ]

  private static let roles = [
    ConfigurationKey(
      "console.proxy.roles_claim", .text(bytes: 1...255), standard: .value(#""groups""#), reload: .restart,
      example: #"roles_claim = "email""#,
      meaning: BilingualText(
        "The claim from which roles come, a text or a list. An email that is not verified gives none.",
        "决定角色的声明，文本或列表。未经验证的 email 不授予角色。")),
    ConfigurationKey(
      "console.proxy.role[]", .tables, standard: .required, reload: .restart,
      example: """
        value = "payments-support"
        role = "support"
        """,
      meaning: BilingualText(
        "What a value of the claim gives. In each app the first table counts whose value the token has.",
        "声明的某个取值授予的角色。每个应用以第一个匹配的表为准。")),
    ConfigurationKey(
      "console.proxy.role[].value", .text(bytes: 1...255), standard: .required, reload: .restart,
      example: #"value = "payments-support""#,
      meaning: BilingualText("The value, exactly as the token states it.", "取值，须与令牌中完全一致。")),
    ConfigurationKey(
      "console.proxy.role[].role", .word(["viewer", "support", "finance", "operator", "admin"]), standard: .required,
      reload: .restart, example: #"role = "support""#,
      meaning: BilingualText("The role, as of operator keys.", "角色，与运维密钥相同。")),
    ConfigurationKey(
      "console.proxy.role[].app", .text(bytes: 1...64), standard: .value(#""*""#), reload: .restart,
      example: #"app = "*""#,
      meaning: BilingualText("The id of the app; * stands for every app.", "应用 id；* 表示所有应用。")),
  ]
}
