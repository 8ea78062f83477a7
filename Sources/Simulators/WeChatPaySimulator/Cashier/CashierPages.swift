import HTTPMessages
import PaymentPrimitives
import WeChatPayProtocol

/// The cashier's pages for H5 and Native: plain HTML with plain forms, in English and Chinese together. A person pays,
/// cancels, or leaves without paying.
struct CashierPages {
  let service: SimulatedWeChatPay
  let request: HTTPRequest

  func respond() async -> HTTPResponse {
    guard request.body.count <= WeChatPaySimulatorLimits.bodyBytesMax, let target = RequestTarget(request.target)
    else { return WeChatPaySimulatorAPI.problem(CodedError(.bodyTooLarge), request) }
    let visit: CashierVisit? =
      switch target.path.dropFirst() {
      case ["h5"]: target["prepay_id"].map { .h5(prepayId: $0) }
      case ["native"]: target["code_url"].map { .native(codeURL: $0) }
      default: nil
      }
    switch (request.method, visit) {
    case ("GET", nil) where target.path == ["cashier"]: return page(200, await welcome())
    case (_, nil): return WeChatPaySimulatorAPI.problem(CodedError(.routeUnknown), request)
    case ("GET", let visit?): return await show(visit)
    case ("POST", let visit?): return await act(visit, target)
    default: return WeChatPaySimulatorAPI.problem(CodedError(.methodNotAllowed, "Allowed: GET, POST."), request)
    }
  }

  // MARK: actions

  private func show(_ visit: CashierVisit) async -> HTTPResponse {
    switch await service.look(visit, openid: CashierVisit.anybody) {
    case .success(let order): page(200, cashier(order))
    case .failure(let problem): page(problem.order == nil ? 404 : 409, refusal(problem.refusal))
    }
  }

  private func act(_ visit: CashierVisit, _ target: RequestTarget) async -> HTTPResponse {
    let form = RequestTarget("/?" + String(decoding: request.body.prefix(1024), as: UTF8.self))
    guard let action = form?["action"].flatMap({ Self.actions[$0] }) else {
      return WeChatPaySimulatorAPI.problem(CodedError(.fieldInvalid, "action must be pay, cancel or leave."), request)
    }
    let result: CashierResult
    do throws(CodedError<WeChatPaySimulatorErrorCode>) {
      result = try await service.cashier.visit(visit, openid: CashierVisit.anybody, action)
    } catch { return WeChatPaySimulatorAPI.problem(error, request) }
    if let reason = result.reason { return page(result.order == nil ? 404 : 409, refusal(reason)) }
    // H5 returns to the merchant's page, which learns nothing from it; after leaving in another way the payer stays
    // here.
    if let back = target["redirect_url"], back.hasPrefix("http://") || back.hasPrefix("https://"), action != .leave,
      back.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    {
      return HTTPResponse(status: 303, fields: ["Location": back])
    }
    return page(200, Self.done[form?["action"] ?? ""].map { Self.paragraph($0, id: "done") } ?? "")
  }

  private static let actions: [String: CashierAction] = ["pay": .pay, "cancel": .cancel, "leave": .leave]

  private static let done: [String: BilingualText] = [
    "pay": BilingualText("Paid.", "支付成功。"), "cancel": BilingualText("Cancelled; nothing was paid.", "已取消，未付款。"),
    "leave": BilingualText("Left without paying.", "已离开，未付款。"),
  ]

  // MARK: content

  private func welcome() async -> String {
    let open = await service.orders().suffix(50).filter { $0.state == .notPaid && $0.prepays.last?.codeURL != nil }
    let links = open.compactMap { order in
      order.prepays.last?.codeURL.map { code in
        "<li><a href=\"/cashier/native?code_url=\(RequestTarget.encode(code))\">\(Self.escaped(order.goods)) "
          + "¥\(BillAmount.text(fen: order.total))</a><br><code>\(Self.escaped(code))</code></li>"
      }
    }
    return """
      \(Self.paragraph(BilingualText("Paste the content of a QR code, as a phone scans it.", "请粘贴二维码的内容，相当于用手机扫码。")))
      <form method="get" action="/cashier/native">
      <input name="code_url" aria-label="code_url" size="40" placeholder="weixin://wxpay/bizpayurl?pr=…" required>
      <button>Open 打开</button>
      </form>
      <ul>\(links.joined())</ul>
      """
  }

  private func cashier(_ order: SimulatedOrder) -> String {
    """
    <p id="goods">\(Self.escaped(order.goods))</p>
    <p id="amount">¥\(BillAmount.text(fen: order.total))</p>
    <form method="post" action="\(Self.escaped(request.target))">
    <button name="action" value="pay">Pay 支付</button>
    <button name="action" value="cancel">Cancel 取消</button>
    <button name="action" value="leave">Leave without paying 不支付离开</button>
    </form>
    """
  }

  private func refusal(_ reason: CashierError) -> String {
    Self.paragraph(reason.words, id: "refused") + "<p><code>\(reason.rawValue)</code></p>"
  }

  private func page(_ status: Int, _ content: String) -> HTTPResponse {
    let text = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Simulated WeChat Pay 微信支付模拟器</title>
      <style>
      body { font: 1.1rem system-ui, sans-serif; max-width: 32rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
      button, input { font: inherit; padding: .6rem 1rem; margin: .3rem 0 } button { display: block; width: 100% }
      #amount { font-size: 2.2rem } code { word-break: break-all } header { border-bottom: 3px solid #07c160 }
      </style>
      </head>
      <body>
      <header><h1>Simulated WeChat Pay <span lang="zh-Hans">微信支付模拟器</span></h1>
      \(Self.paragraph(BilingualText("No real money.", "不涉及真实资金。")))</header>
      \(content)
      </body>
      </html>

      """
    return HTTPResponse(
      status: status,
      fields: [
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      ], body: Array(text.utf8))
  }

  private static func paragraph(_ text: BilingualText, id: String? = nil) -> String {
    let mark = id.map { " id=\"\($0)\"" } ?? ""
    return "<p\(mark)>\(escaped(text.english)) <span lang=\"zh-Hans\">\(escaped(text.chinese))</span></p>"
  }

  /// Texts from merchants and URLs become text, never markup.
  private static func escaped(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": output += "&amp;"
      case "<": output += "&lt;"
      case ">": output += "&gt;"
      case "\"": output += "&quot;"
      case "'": output += "&#39;"
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output
  }
}

extension CashierError {
  var words: BilingualText {
    switch self {
    case .unknown: BilingualText("There is no such order.", "没有这个订单。")
    case .otherApp: BilingualText("The order has another app id.", "appid 与订单不符。")
    case .otherMerchant: BilingualText("The order has another merchant.", "商户号与订单不符。")
    case .wrongPackage: BilingualText("The package parameter is wrong.", "package 参数有误。")
    case .wrongSignature: BilingualText("The signature is wrong.", "支付验证签名失败。")
    case .otherCashier: BilingualText("The order is for another cashier.", "该订单不能用此方式支付。")
    case .outdated: BilingualText("This link is too old: create a new order.", "链接已失效，请重新下单。")
    case .expired: BilingualText("The time to pay is over.", "订单已超过支付期限。")
    case .closed: BilingualText("The order is closed.", "订单已关闭。")
    case .paid: BilingualText("The order is paid.", "订单已支付。")
    case .otherPayer: BilingualText("Another payer has opened this order.", "订单已被其他用户打开。")
    }
  }
}
