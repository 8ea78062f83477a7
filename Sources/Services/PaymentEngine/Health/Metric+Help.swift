package import PaymentPrimitives

extension Metric {
  /// What a metric counts or measures, with the names of its labels.
  private struct Entry: Sendable {
    let labels: String
    let help: BilingualText

    init(_ english: String, _ chinese: String, by labels: String = "") {
      self.labels = labels
      self.help = BilingualText(english, chinese)
    }
  }

  package var help: BilingualText { Self.entries[self]?.help ?? BilingualText("", "") }

  /// The names of its labels.
  package var labels: [String] {
    (Self.entries[self]?.labels ?? "").split(separator: " ").map(String.init)
  }

  private static let entries: [Metric: Entry] = [
    .alertMessagesTotal: Entry(
      "Messages of the server's own alerts: taken, refused or unanswered.", "服务器自身告警消息数：taken、refused 或 unanswered。",
      by: "channel result"),
    .appStoreAnswersRefusedTotal: Entry(
      "Answers of Apple's servers whose signatures were refused.", "签名未通过核验的 Apple 服务器应答数。"),
    .appStoreCallSeconds: Entry("Time until Apple's servers answered.", "Apple 服务器应答所用时间。", by: "app api environment"),
    .appStoreCallsTotal: Entry("Calls of Apple's servers.", "对 Apple 服务器的调用数。", by: "app api environment outcome"),
    .backupVerifiedTimestampSeconds: Entry(
      "When the newest verified backup was taken, in seconds since 1970. Alert if it is old.",
      "最新已校验备份的时间（1970 年起的秒数）；过旧时请告警。"),
    .buildInfo: Entry("Always 1; the labels describe the running program.", "恒为 1；标签说明正在运行的程序。", by: "version profile"),
    .certificateExpiryTimestampSeconds: Entry(
      "Until when the server's own TLS certificate is valid, in seconds since 1970.",
      "服务器自身 TLS 证书的有效期截止时间（1970 年起的秒数）。"),
    .certificateStatusQuestionsTotal: Entry(
      "Questions to Apple whether a certificate is revoked.", "向 Apple 查询证书是否被吊销的次数。", by: "outcome"),
    .certificateStatusUnknownTotal: Entry(
      "Signed data whose certificate's status was not known: accepted (soft) or kept for later (hard).",
      "无法得知证书状态的签名数据数：soft 时接受，hard 时保留待定。", by: "check"),
    .changesStoppedTotal: Entry(
      "Changes of money that were stopped and wait for another attempt.", "被中止并等待重试的资金变更数。", by: "kind"),
    .clockSetBackTotal: Entry("Corrections of a clock that was ahead.", "时钟超前后被校正的次数。"),
    .commitSeconds: Entry("Time until a transaction that wrote something was durable.", "写入事务落盘所用时间。"),
    .commitUnknownTotal: Entry("Commits whose outcome was unknown at first.", "最初无法确定结果的提交数。"),
    .complaintsOpen: Entry(
      "Complaints at WeChat Pay that are not done: unanswered or answered.", "微信支付未完成的投诉数：unanswered 或 answered。",
      by: "app environment state"),
    .configReloadSuccessful: Entry(
      "Whether the configuration was good when it was last read: 1 or 0.", "最近一次读取的配置是否有效：1 或 0。"),
    .configReloadTimestampSeconds: Entry(
      "When a good configuration was last read, in seconds since 1970.", "最近一次读取有效配置的时间（1970 年起的秒数）。"),
    .configurationGapsTotal: Entry(
      "Sold products or apps that the configuration lacks.", "配置中缺少的已售商品或应用。", by: "app gap"),
    .consumptionAnswersTotal: Entry("Answers to Apple's consumption requests.", "对 Apple 消费信息请求的应答数。", by: "outcome"),
    .databaseBytes: Entry("Size of the database file.", "数据库文件大小。"),
    .databaseLogBytes: Entry("Size of the log beside the database file.", "数据库旁日志文件的大小。"),
    .databaseLostCommitsTotal: Entry(
      "How often a connection found that PostgreSQL lacks commits that were answered.",
      "连接发现 PostgreSQL 缺少已应答提交的次数。"),
    .databaseRoundTripsTotal: Entry(
      "How often this server waited for an answer of PostgreSQL.", "本服务器等待 PostgreSQL 应答的次数。"),
    .databaseTransactionsWaiting: Entry(
      "Transactions of this server that wait for a connection to PostgreSQL.", "本服务器中等待 PostgreSQL 连接的事务数。"),
    .databaseUnknownCommitsTotal: Entry(
      "Commits on PostgreSQL without an answer, by what was found out about them.",
      "在 PostgreSQL 上未得到应答的提交数，按查明的结果统计。", by: "found"),
    .creditsTotal: Entry("Credits of balances.", "余额赠送数。", by: "environment"),
    .promotionalGivenTotal: Entry(
      "Entitlements that were given without a payment.", "未付款赠送的权益数。", by: "environment"),
    .debitsTotal: Entry("Debits of balances.", "余额扣减数。", by: "environment"),
    .debtsWrittenOffTotal: Entry("Debts that were written off.", "已核销的欠款数。", by: "environment"),
    .deliveriesParked: Entry(
      "Deliveries that are parked: their receiver has failed for too long.", "因接收方长时间失败而停放的发货通知数。",
      by: "app environment"),
    .deliveriesParkedTotal: Entry("Deliveries that were parked.", "曾被停放的发货通知数。"),
    .deliveriesPending: Entry("Deliveries that are not acknowledged yet.", "尚未确认的发货通知数。", by: "app environment"),
    .deliveriesTotal: Entry("Attempts to deliver.", "发送发货通知的次数。", by: "endpoint result"),
    .eventsSentTotal: Entry(
      "Attempts to send an event.", "发送事件的次数。", by: "endpoint result"),
    .deliveryBreakerOpenedTotal: Entry(
      "Times that an endpoint was given a pause after failures.", "因连续失败而暂停某接收地址的次数。", by: "endpoint"),
    .deliverySeconds: Entry("Time until an endpoint answered.", "接收地址应答所用时间。", by: "endpoint"),
    .diskFreeBytes: Entry("Bytes that may still be written to the disk of the database.", "数据库所在磁盘的剩余字节数。"),
    .forwardedUnheededTotal: Entry(
      "Requests with a forwarded address from a peer that is not a trusted proxy.", "来自不受信任代理的转发地址请求数。"),
    .forwardsParked: Entry("Notifications for the earlier system that are parked.", "已停放的、转发给旧系统的通知数。", by: "app"),
    .forwardsParkedTotal: Entry(
      "Notifications for the earlier system that were parked.", "曾被停放的、转发给旧系统的通知数。", by: "app"),
    .forwardsPending: Entry(
      "Notifications that the earlier system has not acknowledged yet.", "旧系统尚未确认的转发通知数。", by: "app"),
    .forwardsTotal: Entry(
      "Attempts to pass a notification on to the earlier system.", "向旧系统转发通知的次数。", by: "app result"),
    .grantToAcknowledgedSeconds: Entry(
      "Time from the change of a grant until the backend acknowledged its delivery.",
      "从权益变更到后端确认发货通知所用时间。", by: "app environment"),
    .httpRequestSeconds: Entry("Time until a request was answered.", "请求应答所用时间。", by: "route"),
    .httpRequestsTotal: Entry("Requests.", "请求数。", by: "route status"),
    .invariantViolationTotal: Entry(
      "Changes that would have broken a rule of money. Nothing of them was written. Alert on any.",
      "会违反资金规则、因而未写入的更改数；一旦出现请告警。", by: "invariant"),
    .notificationsNotUnderstoodTotal: Entry(
      "Genuine notifications with contents that could not be read.", "真实但内容无法读取的通知数。", by: "reason"),
    .notificationsTotal: Entry("Notifications of the stores.", "商店通知数。", by: "app type effect environment"),
    .observedGrantsTotal: Entry(
      "Grants that would have been made while only observing.", "仅观察模式下本应发放的次数。", by: "app environment rule"),
    .observedUnitsTotal: Entry(
      "Units that would have been granted while only observing.", "仅观察模式下本应发放的数量。", by: "app environment unit"),
    .offersSignedTotal: Entry("Signed promotional and introductory offers.", "已签名的促销与推介优惠数。", by: "kind"),
    .oldestUndeliveredSeconds: Entry(
      "Age of the oldest delivery that is not acknowledged. Alert if it is above minutes.",
      "最早未确认发货通知的时长；超过数分钟请告警。", by: "app environment"),
    .oldestComplaintSeconds: Entry(
      "Time since the customer complained, of the oldest open complaint. Due: 24 hours unanswered, else 72.",
      "最早未完成投诉自用户投诉起的时长；未回复时限 24 小时，处理完成时限 72 小时。", by: "app environment state"),
    .oldestWaitingPaymentSeconds: Entry(
      "Age of the oldest payment in the operator's queue.", "人工处理队列中最早支付的时长。", by: "app environment state"),
    .ordersCreatedTotal: Entry("Created orders.", "已创建的订单数。", by: "app store environment"),
    .paymentsTotal: Entry(
      "Changes of payments, by their new state.", "按新状态统计的支付变更数。", by: "app store environment state rule"),
    .paymentsWaiting: Entry(
      "Payments in the operator's queue, at most 1,000 per state.", "人工处理队列中的支付数，每种状态最多计 1000。",
      by: "app environment state"),
    .phoneDiagnosticsTotal: Entry(
      "What phones counted about orders that were nearly lost.", "手机统计的险些丢单的情况。", by: "app kind"),
    .processCpuSecondsTotal: Entry("Processor time of this process.", "本进程的处理器时间。"),
    .processResidentMemoryBytes: Entry("Memory of this process.", "本进程占用的内存。"),
    .processStartTimeSeconds: Entry("When this process started, in seconds since 1970.", "本进程的启动时间（1970 年起的秒数）。"),
    .purchaseToGrantSeconds: Entry(
      "Time from the store's purchase date until the grant.", "从商店的购买时间到发放所用时间。", by: "app store environment"),
    .receiptEntriesUnreadableTotal: Entry(
      "Purchases in genuine receipts that could not be read.", "真实收据中无法读取的购买记录数。", by: "reason"),
    .reconciliationsTotal: Entry("Comparisons with a store's records.", "与商店记录的核对次数。", by: "store outcome"),
    .refundsWithoutPaymentTotal: Entry("Refunds of payments that are not known here.", "对应支付未知的退款数。"),
    .retentionRowsTotal: Entry(
      "Rows that were shortened or forgotten because their time was over.", "因保留期已满而被缩减或删除的行数。", by: "table"),
    .stoppedChangeRetriesTotal: Entry("Repeated attempts of stopped changes.", "对被中止变更的重试次数。", by: "outcome"),
    .stoppedChanges: Entry(
      "Changes of money that still have to take effect.", "尚未生效的资金变更数。", by: "app environment kind"),
    .storeFailing: Entry("Whether the database fails for this cause.", "数据库是否因该原因而失败。", by: "cause"),
    .storeFailuresTotal: Entry("Failures of the database.", "数据库失败次数。", by: "cause"),
    .storeWritable: Entry("Whether the database accepts writes: 1 or 0.", "数据库可写时为 1。"),
    .traceSpansDroppedTotal: Entry(
      "Spans of traces that were dropped, because the collector was slow, absent or refused them.",
      "因采集器缓慢、不存在或拒绝而丢弃的 span 数。", by: "reason"),
    .traceSpansExportedTotal: Entry("Spans of traces that the collector took.", "采集器已接收的 span 数。"),
    .transactionsTotal: Entry(
      "Transactions by how they ran: answered from a snapshot, applied as planned, run again, run by the writer.",
      "按执行方式统计的事务数：由快照应答、按计划写入、重新执行、由写入线程执行。", by: "outcome"),
    .verifyFailuresTotal: Entry(
      "Evidence that was refused, such as a wrong signature.", "被拒绝的凭证数，例如签名错误。", by: "reason"),
    .wechatPayCallsTotal: Entry("Calls of WeChat Pay.", "对微信支付的调用数。", by: "api method outcome"),
    .wechatPayCertificatesTotal: Entry(
      "Downloads of WeChat Pay's platform certificates.", "微信支付平台证书的下载次数。", by: "outcome"),
    .wechatPayContradictionsTotal: Entry("Charges that contradict what was known of them.", "与已知事实矛盾的收款数。"),
    .wechatPayForeignNumbersTotal: Entry("Charges with order numbers that are not ours.", "订单号不属于本系统的收款数。"),
    .wechatPayProbesTotal: Entry("Probes of WeChat Pay with signatures that must be refused.", "微信支付的签名探测次数，应予拒绝。"),
    .wechatPayUnknownStatesTotal: Entry("Answers of WeChat Pay with a state that is not known here.", "含未知状态的微信支付应答数。"),
  ]
}
