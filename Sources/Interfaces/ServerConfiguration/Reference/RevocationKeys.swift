import AppStoreProtocol
import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[app_store]`, for all apps together.
enum RevocationKeys {
  static let all = [
    ConfigurationKey(
      "app_store", .table, reload: .restart, example: #"ocsp = "soft""#,
      meaning: BilingualText(
        "How data with Apple's signature is verified, for all apps.", "如何验证带有 Apple 签名的数据，对所有应用生效。")),
    ConfigurationKey(
      "app_store.ocsp", .word(RevocationCheck.allCases.map(\.rawValue)), standard: .value(#""off""#), reload: .restart,
      example: #"ocsp = "soft""#,
      meaning: BilingualText(
        "Whether Apple is asked if it has revoked a certificate (OCSP, at ocsp.apple.com). soft and hard refuse what a "
          + "revoked certificate signed. If Apple does not answer, soft accepts the data and counts it; hard leaves "
          + "payments pending until Apple answers.",
        "是否向 Apple（ocsp.apple.com，OCSP）查询证书是否被吊销。soft 与 hard 都拒绝已吊销证书所签的数据。Apple 不应答时，soft "
          + "接受并计数，hard 让付款保持待定，直到 Apple 应答。")),
  ]
}
