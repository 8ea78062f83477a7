extension WeChatPayErrorCode {
  /// The code of an error answer: by WeChat Pay's word, or by the status if the word is unknown.
  package init(word: String, status: Int) {
    let letters = String(decoding: word.utf8.filter { $0 != 0x5F }, as: UTF8.self).uppercased()
    if let known = Self.words[letters] {
      self = known
      return
    }
    switch status {
    case 405, 406, 415: self = .unsupportedCall
    case 429: self = .frequencyLimited
    case 502, 503, 504: self = .serviceUnavailable
    case 500...: self = .otherFailure
    default: self = .otherError
    }
  }

  /// WeChat Pay's words without their underscores.
  private static let words: [String: WeChatPayErrorCode] = [
    "USERPAYING": .userPaying, "PARAMERROR": .parameterError, "INVALIDREQUEST": .invalidRequest,
    "APPIDMCHIDNOTMATCH": .appidMerchantMismatch, "MCHNOTEXISTS": .merchantUnknown, "MCHNOTEXIST": .merchantUnknown,
    "ORDERCLOSED": .orderClosed, "ORDERPAID": .orderPaid, "NOSTATEMENTEXIST": .noStatement,
    "STATEMENTCREATING": .statementCreating, "SIGNERROR": .signError, "ACCOUNTERROR": .accountError,
    "NOAUTH": .noAuthority, "NOTENOUGH": .notEnough, "OUTTRADENOUSED": .outTradeNoUsed, "RULELIMIT": .ruleLimit,
    "TRADEERROR": .tradeError, "USERACCOUNTABNORMAL": .userAccountAbnormal, "REQUESTBLOCKED": .requestBlocked,
    "ORDERNOTEXIST": .orderNotFound, "ORDERNOTEXISTS": .orderNotFound, "RESOURCENOTEXISTS": .resourceNotFound,
    "RESOURCENOTEXIST": .resourceNotFound, "FREQUENCYLIMITED": .frequencyLimited, "FREQUENCYLIMIT": .frequencyLimited,
    "RATELIMITEXCEEDED": .frequencyLimited, "RATELIMITED": .frequencyLimited, "SYSTEMERROR": .systemError,
    "BANKERROR": .bankError, "OPENIDMISMATCH": .openidMismatch, "SERVICEUNAVAILABLE": .serviceUnavailable,
  ]
}
