package import AppStoreSimulator
package import PaymentPrimitives
package import WeChatPaySimulator

/// What the simulator's page calls the faults that can be planned. English pages keep the names of the control API.
/// Each fault is a case of a `switch`, so that a new one cannot be without a word.
package enum SimulatorFaultWords {
  /// A name that the simulator does not have stays as it is.
  static func ofWeChatPay(_ name: String) -> BilingualText {
    WeChatPayFault(rawValue: name).map { words(for: $0) } ?? BilingualText(name, name)
  }

  static func ofAppStore(_ name: String) -> BilingualText {
    AppStoreAPIFault(rawValue: name).map { words(for: $0) } ?? BilingualText(name, name)
  }

  package static func words(for fault: AppStoreAPIFault) -> BilingualText {
    let chinese =
      switch fault {
      case .unreachable: "无法连接"
      case .loseRequest: "请求丢失"
      case .unauthorized: "未获授权"
      case .notFound: "查无此交易"
      case .notFoundYet: "暂时查无此账户"
      case .rateLimited: "频率超限"
      case .internalError: "内部错误"
      case .internalErrorRetryable: "内部错误，可重试"
      case .htmlError: "网关返回网页"
      case .receiptUnreadable: "收据无法读取"
      case .receiptServiceDown: "收据服务不可用"
      case .receiptServiceFailed: "收据服务出错"
      case .receiptAccountGone: "账户已不存在"
      case .receiptDataRetryable: "收据数据错误，可重试"
      case .receiptDataFinal: "收据数据错误，不可重试"
      case .loseAnswer: "应答丢失"
      case .internalErrorAfterEffect: "已生效，但返回内部错误"
      case .slow: "应答缓慢"
      case .cutAnswer: "应答不完整"
      }
    return BilingualText(fault.rawValue, chinese)
  }

  package static func words(for fault: WeChatPayFault) -> BilingualText {
    let chinese =
      switch fault {
      case .unreachable: "无法连接"
      case .loseRequest: "请求丢失"
      case .htmlError: "网关返回网页"
      case .serviceUnavailable: "服务不可用"
      case .systemError: "系统错误"
      case .frequencyLimited: "频率超限"
      case .notEnough: "商户余额不足"
      case .ruleLimit: "业务规则限制"
      case .accountError: "账号异常"
      case .tradeError: "交易错误"
      case .userAccountAbnormal: "用户账户异常"
      case .merchantUnknown: "商户号不存在"
      case .loseAnswer: "应答丢失"
      case .slow: "应答缓慢"
      case .htmlAfterEffect: "已生效，但网关返回网页"
      case .systemErrorAfterEffect: "已生效，但返回系统错误"
      case .cutAnswer: "应答不完整"
      case .unsigned: "应答没有签名"
      case .wrongSignature: "签名错误"
      case .probe: "签名探测"
      case .unknownKey: "签名密钥未知"
      case .staleTimestamp: "签名时间过期"
      case .alteredAmount: "金额多一分"
      case .otherOrder: "内容属于其他订单"
      case .unknownWord: "状态未知"
      case .payBeforeAnswer: "应答之前已支付"
      case .unknownChannel: "退款渠道未知"
      case .abnormalRefund: "退款异常"
      case .closedRefund: "退款关闭"
      case .loseNotification: "通知丢失"
      case .loseAttempt: "通知单次丢失"
      case .otherAPIv3Key: "通知以其他密钥加密"
      case .otherMerchant: "通知属于其他商户"
      case .unknownEventType: "通知类型未知"
      case .wrongHash: "账单摘要错误"
      case .cutFile: "账单文件不完整"
      case .missingRow: "账单缺少一行"
      case .additionalRow: "账单多出一行"
      case .doubledRow: "账单重复一行"
      case .swappedRows: "账单两行单号互换"
      case .missingRefunds: "账单缺少退款"
      case .unknownRow: "账单首行类型未知"
      case .alteredFee: "账单手续费多一分"
      }
    return BilingualText(fault.rawValue, chinese)
  }
}
