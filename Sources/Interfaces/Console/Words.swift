import PaymentPrimitives

/// Words that several pages have.
package enum Words {
  static let console = BilingualText("Counterfoil console", "Counterfoil 控制台")
  static let skip = BilingualText("Skip to content", "跳到正文")
  static let overview = BilingualText("Overview", "概览")
  static let needsAttention = BilingualText("Needs attention", "待处理")
  static let orders = BilingualText("Orders", "订单")
  static let payments = BilingualText("Payments", "支付")
  static let deliveries = BilingualText("Deliveries", "发货通知")
  static let auditLog = BilingualText("Audit log", "操作记录")
  static let assignee = BilingualText("Assigned to", "处理人")
  static let approvals = BilingualText("Approvals", "复核")
  static let accounts = BilingualText("Accounts", "账号")
  static let refunds = BilingualText("Refunds", "退款")
  static let subscription = BilingualText("Subscription", "订阅线")
  static let subscriptions = BilingualText("Subscriptions", "订阅线")
  static let reconciliation = BilingualText("Reconciliation", "对账")
  static let complaints = BilingualText("Complaints", "投诉")
  static let consumptionRequests = BilingualText("Consumption requests", "退款问询")
  static let account = BilingualText("My account", "我的账号")
  static let user = BilingualText("User", "用户")
  static let order = BilingualText("Order", "订单")
  static let payment = BilingualText("Payment", "支付")
  static let delivery = BilingualText("Delivery", "发货通知")
  static let money = BilingualText("Money", "资金")
  static let backend = BilingualText("Your backend", "业务后端")
  static let installation = BilingualText("Installation", "系统")
  static let search = BilingualText("Search", "搜索")
  static let searchLabel = BilingualText("Search by any number", "按任意单号搜索")
  static let searchHint = BilingualText(
    "Order, transaction, receipt number, user, refund…", "订单号、交易号、收据号、用户、退款…")
  static let theme = BilingualText("Theme", "主题")
  static let signIn = BilingualText("Sign in", "登录")
  static let signOut = BilingualText("Sign out", "退出登录")
  static let otherLanguage = BilingualText("中文", "English")
  static let simulated = BilingualText(
    "Simulated: no real money moves here.", "模拟环境：这里没有真实资金往来。")
  static let backToStart = BilingualText("Go to the start page", "返回首页")
  static let request = BilingualText("Request", "请求编号")
  static let copy = BilingualText("Copy", "复制")
  static let store = BilingualText("Store", "商店")
  static let state = BilingualText("State", "状态")
  static let product = BilingualText("Product", "商品")
  static let amount = BilingualText("Amount", "金额")
  static let created = BilingualText("Created", "创建时间")
  static let reference = BilingualText("Reference", "业务单号")
  static let transaction = BilingualText("Transaction", "交易号")
  static let environment = BilingualText("Environment", "环境")
  static let attempts = BilingualText("Attempts", "尝试次数")
  static let reason = BilingualText("Reason", "原因")
  static let none = BilingualText("none", "无")
  static let next = BilingualText("Next page", "下一页")
  static let first = BilingualText("First page", "第一页")
  static let all = BilingualText("All", "全部")
  static let apply = BilingualText("Show", "筛选")
  static let hidden = BilingualText("hidden for your role", "您的角色不可见")
  static let place = BilingualText("Where you are", "当前位置")

  static func name(of store: Store) -> BilingualText {
    switch store {
    case .appStore: BilingualText("App Store", "App Store")
    case .weChatPay: BilingualText("WeChat Pay", "微信支付")
    }
  }

  static func name(of environment: StoreEnvironment) -> BilingualText {
    switch environment {
    case .production: BilingualText("Production", "生产")
    case .sandbox: BilingualText("Sandbox", "沙盒")
    case .simulated: BilingualText("Simulated", "模拟")
    case .xcode: BilingualText("Xcode", "Xcode")
    case .localTesting: BilingualText("Local testing", "本地测试")
    case .undetermined: BilingualText("Not determined", "未确定")
    }
  }
}
