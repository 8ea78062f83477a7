package import PaymentPrimitives

/// What `counterfoil receiver test` asks of a receiver. The names are permanent.
package enum ReceiverCheck: String, CaseIterable, Sendable {
  // Who may speak.
  case goodSignature
  case secondSignature
  case otherVersion
  case missingSignature
  case missingTimestamp
  case wrongSignature
  case oldTimestamp
  case futureTimestamp
  case otherId
  case changedBody
  // Booked once.
  case sameIdTwice
  case twentyAtOnce
  case afterRestart
  case olderOccurrence
  case cutAndRepeated
  // What is taken back.
  case reversed
  case partlyReversed
  case reversedBeforeCreated
  case reinstated
  // What is new or foreign.
  case unknownType
  case unknownField
  case otherEnvironment
  case oversizedBody
  // How it answers; judged over all messages.
  case answersInTime
  case noRedirect

  package var meaning: BilingualText {
    switch self {
    case .goodSignature: BilingualText("a signed delivery of an entitlement is acknowledged", "确认已签名的权益发货通知")
    case .secondSignature: BilingualText("any one of several signatures is enough", "多个签名中任意一个有效即可")
    case .otherVersion: BilingualText("signatures of unknown versions are passed over", "忽略未知版本的签名")
    case .missingSignature: BilingualText("nothing is taken without a signature", "没有签名则拒绝")
    case .missingTimestamp: BilingualText("nothing is taken without a timestamp", "没有时间戳则拒绝")
    case .wrongSignature:
      BilingualText("a signature by the text of the secret is refused", "拒绝以密钥文本（未解码）所作的签名")
    case .oldTimestamp: BilingualText("a message of ten minutes ago is refused", "拒绝十分钟前的消息")
    case .futureTimestamp: BilingualText("a message of ten minutes ahead is refused", "拒绝十分钟后的消息")
    case .otherId: BilingualText("the id of the body must be the signed id", "正文中的 id 必须与已签名的 id 一致")
    case .changedBody: BilingualText("the signature is of the bytes as received", "签名按收到的原始字节校验")
    case .sameIdTwice: BilingualText("the same id at a later attempt is booked once", "同一 id 稍后重发时只入账一次")
    case .twentyAtOnce: BilingualText("the same id twenty times at once is booked once", "同一 id 同时到达二十次只入账一次")
    case .afterRestart: BilingualText("the same id after a restart is booked once", "重启后同一 id 只入账一次")
    case .olderOccurrence: BilingualText("what happened a day ago is booked", "一天前发生的也要入账")
    case .cutAndRepeated:
      BilingualText("the same id after a lost answer is booked once", "应答丢失后同一 id 只入账一次")
    case .reversed: BilingualText("a reversal takes everything back", "冲正收回全部")
    case .partlyReversed: BilingualText("totals of several reversals are no differences", "多次冲正给出的是累计值，而非差额")
    case .reversedBeforeCreated:
      BilingualText("the highest sequence counts, not the last arrival", "以最大的 sequence 为准，而非最后到达的")
    case .reinstated: BilingualText("a reinstatement gives back", "恢复入账会重新给出")
    case .unknownType: BilingualText("an unknown type is acknowledged and not booked", "确认未知类型但不入账")
    case .unknownField: BilingualText("unknown members are passed over", "忽略未知字段")
    case .otherEnvironment: BilingualText("another environment is acknowledged and not booked", "确认其他环境但不入账")
    case .oversizedBody: BilingualText("a body of four megabytes is refused", "拒绝 4 MB 的正文")
    case .answersInTime: BilingualText("every answer comes within 15 seconds", "每个应答都在 15 秒内")
    case .noRedirect: BilingualText("no answer sends the server elsewhere", "应答不会重定向")
    }
  }
}

/// What a check showed.
package struct ReceiverFinding: Hashable, Sendable {
  package enum Outcome: String, Sendable {
    case passed
    case failed
    /// It needs an option that was not given.
    case notChecked
  }

  package let check: ReceiverCheck
  package let outcome: Outcome
  /// What was seen.
  package let details: String
}
