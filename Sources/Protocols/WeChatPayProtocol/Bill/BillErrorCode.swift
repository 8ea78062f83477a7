package import PaymentPrimitives

/// The errors of a bill. A bill is accepted as a whole or not at all.
package enum BillErrorCode: String, ErrorCode {
  /// The URL of the file is not on a host of WeChat Pay.
  case foreignAddress = "wechat_pay_bill_foreign_address"
  /// The download of the file failed.
  case notDownloaded = "wechat_pay_bill_not_downloaded"
  /// The file is not gzip, or it is larger than allowed.
  case compression = "wechat_pay_bill_compression"
  /// We do not support this kind of checksum.
  case hashType = "wechat_pay_bill_hash_type"
  /// The checksum of the file is not the announced one.
  case hash = "wechat_pay_bill_hash"
  /// The first line does not name the columns of such a bill.
  case malformedHeader = "wechat_pay_bill_header"
  /// A line does not have the form of a bill's line.
  case malformedLine = "wechat_pay_bill_line"
  case malformedAmount = "wechat_pay_bill_amount"
  case incomplete = "wechat_pay_bill_incomplete"
  /// The sums of the rows do not match the summary.
  case sumsDiffer = "wechat_pay_bill_sums"

  package var meaning: BilingualText {
    switch self {
    case .foreignAddress: BilingualText("The bill's address has a foreign host.", "账单下载地址不属于微信支付的域名。")
    case .notDownloaded: BilingualText("The bill could not be downloaded.", "账单下载失败。")
    case .compression: BilingualText("The bill cannot be unpacked.", "账单无法解压。")
    case .hashType: BilingualText("The bill's checksum is of an unknown kind.", "账单的摘要类型未知。")
    case .hash: BilingualText("The bill is not the one that was announced.", "账单摘要不一致。")
    case .malformedHeader: BilingualText("The bill lacks columns that it must have.", "账单缺少必需的列。")
    case .malformedLine: BilingualText("A line of the bill cannot be read.", "账单中有一行无法解析。")
    case .malformedAmount: BilingualText("An amount of the bill cannot be read.", "账单中有金额无法解析。")
    case .incomplete: BilingualText("The bill is incomplete.", "账单不完整。")
    case .sumsDiffer:
      BilingualText("The lines of the bill do not add up to its summary.", "账单明细与汇总不一致。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .foreignAddress:
      BilingualText(
        "Ask WeChat Pay whether it has a new host, and add it to the configuration.",
        "请向微信支付确认是否启用了新域名，并加入配置。")
    case .notDownloaded, .compression, .hash, .incomplete, .sumsDiffer:
      BilingualText(
        "It is requested again automatically: the address of a bill is valid for a few minutes only.",
        "系统会重新申请并下载：账单地址只在几分钟内有效。")
    case .hashType, .malformedHeader, .malformedLine, .malformedAmount:
      BilingualText("Update Counterfoil; keep the file.", "请升级 Counterfoil，并保留该文件。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .notDownloaded, .compression, .hash, .incomplete, .sumsDiffer: .later
    default: .never
    }
  }
}
