package import PaymentPrimitives

extension AlertRule {
  /// What happened, in a few words.
  package var title: BilingualText {
    switch self {
    case .invariantBroken: BilingualText("A rule of money would have been broken", "险些违反资金规则")
    case .changesStopped: BilingualText("Changes of money are stopped", "资金变更被中止")
    case .undelivered: BilingualText("Deliveries are not acknowledged", "发货通知未得到确认")
    case .deliveriesParked: BilingualText("Deliveries are parked", "发货通知已停放")
    case .paidWaitsForAPerson: BilingualText("A payment waits for a person", "有支付等待人工处理")
    case .complaintDue: BilingualText("A complaint is due", "投诉即将超时")
    case .reconciliationDiffers: BilingualText("The store's records differ from the ledger", "对账有差异")
    case .reconciliationMissing: BilingualText("The ledger was not compared with the store", "长时间未对账")
    case .notificationsSilent: BilingualText("No store sends notifications", "收不到商店通知")
    case .forgeries: BilingualText("Much forged or damaged evidence arrives", "大量伪造或损坏的凭证")
    case .appStoreUnreachable: BilingualText("Calls to Apple fail", "调用 Apple 失败")
    case .weChatPayUnreachable: BilingualText("Calls to WeChat Pay fail", "调用微信支付失败")
    case .purchaseToGrantSlow: BilingualText("Purchases are granted late", "入账过慢")
    case .notWritable: BilingualText("The database accepts no writes", "数据库无法写入")
    case .commitsLost: BilingualText("PostgreSQL has lost commits", "PostgreSQL 丢失了提交")
    case .commitSlow: BilingualText("Commits are slow", "提交过慢")
    case .diskFull: BilingualText("The disk is nearly full", "磁盘即将写满")
    case .backupOld: BilingualText("The newest backup is old", "备份过旧")
    case .certificateExpires: BilingualText("The server's certificate expires", "服务器证书即将过期")
    }
  }

  /// What it means for users and money.
  package var meaning: BilingualText {
    switch self {
    case .invariantBroken:
      BilingualText("Nothing of that change was written, and the order is frozen.", "该变更完全没有写入，订单已冻结。")
    case .changesStopped:
      BilingualText("A refund, a renewal or a grant has not taken effect.", "有退款、续订或入账尚未生效。")
    case .undelivered:
      BilingualText("Users have paid and your backend does not know it.", "用户已付款，而你的后端尚不知情。")
    case .deliveriesParked:
      BilingualText("The backend refused them for too long. Nobody tries them now.", "后端拒绝时间过长，目前不再重试。")
    case .paidWaitsForAPerson:
      BilingualText("The purchase is paid, and no user has received it.", "已经付款，但没有任何人得到商品。")
    case .complaintDue:
      BilingualText(
        "WeChat Pay wants a first answer within 24 hours and an end within 72 hours.",
        "微信支付要求 24 小时内首次回复，72 小时内处理完成。")
    case .reconciliationDiffers:
      BilingualText("A comparison found lines that nothing explains.", "对账发现了无法解释的条目。")
    case .reconciliationMissing:
      BilingualText("Purchases are made, and differences would stay unknown.", "仍有购买产生，差异将无从得知。")
    case .notificationsSilent:
      BilingualText(
        "Purchases are granted through the phones alone. Refunds are noticed late.", "入账仅靠手机上报，退款会很晚才被发现。")
    case .forgeries: BilingualText("None of it is granted.", "其中没有任何一项入账。")
    case .appStoreUnreachable:
      BilingualText("Purchases are still granted from signed data. Repairs wait.", "仍按签名数据入账，但修复与对账需要等待。")
    case .weChatPayUnreachable:
      BilingualText(
        "Users cannot pay with WeChat Pay. Payments are learned by notification alone.", "用户无法发起微信支付，支付结果只能靠通知得知。")
    case .purchaseToGrantSlow:
      BilingualText("More than a tenth of the purchases is granted after five minutes.", "超过十分之一的购买在五分钟之后才入账。")
    case .notWritable:
      BilingualText("Nothing can be granted. Phones and stores repeat what they send.", "无法入账。手机与商店会重复上报。")
    case .commitsLost:
      BilingualText(
        "What was answered may be missing since the fail-over. Both stores are being asked about that time.",
        "故障切换后，已应答的内容可能缺失。正在向两家商店查询该时段。")
    case .commitSlow: BilingualText("Each purchase waits for the disk.", "每笔购买都在等待磁盘。")
    case .diskFull: BilingualText("Without space nothing can be granted.", "没有空间就无法入账。")
    case .backupOld: BilingualText("A lost disk would lose more than a day.", "一旦磁盘损坏，将丢失一天以上的数据。")
    case .certificateExpires:
      BilingualText("After that no phone and no store reaches the server.", "过期后手机和商店都无法连接服务器。")
    }
  }

  /// The number that was measured, with its unit.
  package func measured(_ value: Double) -> BilingualText {
    switch self {
    case .invariantBroken, .reconciliationDiffers, .commitsLost:
      Self.count(value, BilingualText("in the last hour", "近一小时"))
    case .changesStopped, .deliveriesParked: Self.count(value, BilingualText("now", "当前"))
    case .forgeries: Self.count(value, BilingualText("in ten minutes", "十分钟内"))
    case .notificationsSilent:
      BilingualText("\(Self.whole(value)) purchases in six hours", "六小时内 \(Self.whole(value)) 笔购买")
    case .undelivered, .paidWaitsForAPerson, .complaintDue, .backupOld:
      BilingualText("the oldest is \(Self.time(value).english) old", "最早的已有 \(Self.time(value).chinese)")
    case .reconciliationMissing:
      BilingualText("for \(Self.time(value).english)", "已有 \(Self.time(value).chinese)")
    case .appStoreUnreachable, .weChatPayUnreachable, .purchaseToGrantSlow, .commitSlow:
      BilingualText("\(Self.whole(value * 100)) %", "\(Self.whole(value * 100))%")
    case .notWritable: BilingualText("now", "当前")
    case .diskFull: BilingualText("\(Self.whole(value / 1e6)) MB are free", "剩余 \(Self.whole(value / 1e6)) MB")
    case .certificateExpires:
      value > 0
        ? BilingualText("in \(Self.time(value).english)", "还有 \(Self.time(value).chinese)")
        : BilingualText("it has expired", "已经过期")
    }
  }

  private static func count(_ value: Double, _ when: BilingualText) -> BilingualText {
    BilingualText("\(whole(value)) \(when.english)", "\(when.chinese) \(whole(value)) 个")
  }

  /// A whole number; one that is none, or too large, is cut to what 53 bits hold.
  private static func whole(_ value: Double) -> Int64 {
    value.isFinite ? Int64(max(-9e15, min(9e15, value))) : 0
  }

  /// A span in its largest fitting unit.
  static func time(_ seconds: Double) -> BilingualText {
    let seconds = whole(seconds)
    switch seconds {
    case ..<120: return BilingualText("\(seconds) s", "\(seconds) 秒")
    case ..<7200: return BilingualText("\(seconds / 60) min", "\(seconds / 60) 分钟")
    case ..<172_800: return BilingualText("\(seconds / 3600) h", "\(seconds / 3600) 小时")
    default: return BilingualText("\(seconds / 86_400) days", "\(seconds / 86_400) 天")
    }
  }
}
