package import PaymentPrimitives

/// The result codes of `verifyReceipt` (`status`).
package enum VerifyReceiptStatus: Int64, CaseIterable, Sendable {
  case valid = 0
  case notPost = 21000
  case withdrawn = 21001
  /// The receipt is malformed, or Apple could not read it at the moment.
  case malformed = 21002
  case notAuthentic = 21003
  /// The shared secret does not belong to the app.
  case wrongSecret = 21004
  case unavailable = 21005
  /// The receipt is valid, but the subscription is expired; only for receipts of iOS 6.
  case expired = 21006
  /// A sandbox receipt was sent to production.
  case fromSandbox = 21007
  /// A production receipt was sent to the sandbox.
  case fromProduction = 21008
  case internalFailure = 21009
  /// The customer's account no longer exists.
  case accountGone = 21010

  /// Errors at Apple; each answer states whether a retry helps.
  static let internalData: ClosedRange<Int64> = 21100...21199
}

/// The errors of `verifyReceipt`, as stable codes of our own.
package enum VerifyReceiptErrorCode: String, ErrorCode {
  /// Status 21000.
  case notPost = "verify_receipt_not_post"
  /// Status 21002 or 21001.
  case malformed = "verify_receipt_malformed"
  /// Status 21003.
  case notAuthentic = "verify_receipt_not_authentic"
  /// Status 21004.
  case wrongSecret = "verify_receipt_wrong_secret"
  /// Status 21005.
  case unavailable = "verify_receipt_unavailable"
  /// Status 21007 or 21008 from both hosts.
  case otherEnvironment = "verify_receipt_other_environment"
  /// Status 21009.
  case failed = "verify_receipt_failed"
  /// Status 21010.
  case accountGone = "verify_receipt_account_gone"
  /// Status 21100 to 21199.
  case internalData = "verify_receipt_internal_data"
  case unknownStatus = "verify_receipt_unknown_status"

  /// The code for an error status.
  init(status: Int64) {
    switch VerifyReceiptStatus(rawValue: status) {
    case .notPost: self = .notPost
    case .malformed, .withdrawn: self = .malformed
    case .notAuthentic: self = .notAuthentic
    case .wrongSecret: self = .wrongSecret
    case .unavailable: self = .unavailable
    case .fromSandbox, .fromProduction: self = .otherEnvironment
    case .internalFailure: self = .failed
    case .accountGone: self = .accountGone
    case .valid, .expired, nil:
      self = VerifyReceiptStatus.internalData.contains(status) ? .internalData : .unknownStatus
    }
  }

  package var meaning: BilingualText {
    switch self {
    case .notPost: .init("The request to verifyReceipt was changed in transit.", "发往 verifyReceipt 的请求在途中被改动。")
    case .malformed: .init("Apple cannot read the receipt.", "Apple 无法读取该收据。")
    case .notAuthentic: .init("Apple has not issued the receipt.", "该收据不是 Apple 签发的。")
    case .wrongSecret: .init("The shared secret belongs to another app.", "共享密钥与应用不符。")
    case .unavailable: .init("Apple's receipt service is not available.", "Apple 的收据服务暂不可用。")
    case .otherEnvironment:
      .init("Each of Apple's two hosts sends the receipt to the other.", "Apple 的两个环境都声称收据属于对方。")
    case .failed, .internalData: .init("Apple failed while it read the receipt.", "Apple 处理收据时出错。")
    case .accountGone: .init("The customer's account no longer exists.", "客户的账户已不存在。")
    case .unknownStatus: .init("Apple answers with an unknown status.", "Apple 返回了未知状态。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .notPost: .init("Make sure that no proxy changes requests.", "请确认代理没有改动请求。")
    case .malformed: .init("Send the receipt again, unchanged.", "请重新原样发送收据。")
    case .notAuthentic: .init("No action is needed: the receipt is forged or damaged.", "无需处理：收据系伪造或已损坏。")
    case .wrongSecret:
      .init("Copy the shared secret from App Store Connect.", "请从 App Store Connect 复制共享密钥。")
    case .unavailable, .failed, .internalData: .init("It is retried automatically.", "系统会自动重试。")
    case .otherEnvironment, .accountGone:
      .init("Grant by hand if the customer can show the purchase.", "若客户能证明购买，请人工处理。")
    case .unknownStatus: .init("Update Counterfoil; nothing is granted meanwhile.", "请升级 Counterfoil；在此之前不会发货。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .unavailable, .failed, .internalData, .unknownStatus: .later
    default: .never
    }
  }
}
