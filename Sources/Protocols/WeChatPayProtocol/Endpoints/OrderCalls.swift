import HTTPMessages
package import PaymentPrimitives
import StrictJSON

// Opening, asking for and closing an order in merchant mode. Partner mode will be the same calls under
// `/v3/pay/partner/transactions/`, with `sp_mchid` and `sub_mchid` in the place of `mchid`: its paths and identities
// belong here, beside these.

/// What opening an order gives.
package enum PrepayAnswer: Hashable, Sendable {
  /// For APP and JSAPI: good for two hours.
  case prepayId(String)
  /// For H5: the page to go to, good for five minutes and one session. It must not be changed but for `redirect_url`.
  case h5URL(String)
  /// For Native: the text of the QR code, good for two hours; a later one ends it.
  case codeURL(String)
}

extension WeChatPayCall where Answer == PrepayAnswer {
  /// Opens an order.
  ///
  /// - Throws: what WeChat Pay would refuse.
  package static func prepay(_ order: PrepayOrder) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    prepay(order.cashier.tradeType, body: try order.body())
  }

  /// Opens an order by the body that was kept with it: for every repetition, and for fresh parameters.
  package static func prepay(_ tradeType: TradeType, body: [UInt8]) -> WeChatPayCall {
    WeChatPayCall("POST", "/v3/pay/transactions/\(tradeType.pathName)", body: body) { value throws(JSONFieldError) in
      let fields = try JSONFields(value)
      switch tradeType {
      case .app, .jsapi: return .prepayId(try fields.string("prepay_id", bytesMax: 128))
      case .h5: return .h5URL(try fields.string("h5_url", bytesMax: 1024))
      case .native: return .codeURL(try fields.string("code_url", bytesMax: 1024))
      }
    }
  }
}

extension WeChatPayCall where Answer == PaymentTransaction {
  /// Asks what has become of an order, by our number.
  ///
  /// `orderNotFound` shortly after an order was opened may mean that it is not visible yet.
  package static func transaction(outTradeNo: String, mchid: String) -> WeChatPayCall {
    let target =
      "/v3/pay/transactions/out-trade-no/\(RequestTarget.encode(outTradeNo))?mchid=\(RequestTarget.encode(mchid))"
    return WeChatPayCall("GET", target) { value throws(JSONFieldError) in
      let transaction = try PaymentTransaction(value)
      guard transaction.outTradeNo.utf8.elementsEqual(outTradeNo.utf8) else {
        throw JSONFieldError(path: "out_trade_no", expected: "the number that was asked for")
      }
      return transaction
    }
  }

  /// Asks what has become of a paid order, by WeChat Pay's number.
  package static func transaction(transactionId: String, mchid: String) -> WeChatPayCall {
    let target =
      "/v3/pay/transactions/id/\(RequestTarget.encode(transactionId))?mchid=\(RequestTarget.encode(mchid))"
    return WeChatPayCall("GET", target) { value throws(JSONFieldError) in
      let transaction = try PaymentTransaction(value)
      guard transaction.transactionId?.utf8.elementsEqual(transactionId.utf8) == true else {
        throw JSONFieldError(path: "transaction_id", expected: "the number that was asked for")
      }
      return transaction
    }
  }
}

/// WeChat Pay took the request to close an order. It proves neither that the order is closed nor that it ever was:
/// ask for it afterwards.
package struct CloseAccepted: Hashable, Sendable {}

extension WeChatPayCall where Answer == CloseAccepted {
  /// Closes an order, so that nobody can pay it any more. A payment that is under way may still win: ask afterwards.
  package static func close(outTradeNo: String, mchid: String) -> WeChatPayCall {
    let target = "/v3/pay/transactions/out-trade-no/\(RequestTarget.encode(outTradeNo))/close"
    let body = JSONValue.members([("mchid", .string(mchid))]).bytes
    return WeChatPayCall("POST", target, body: body) { status, body throws(WeChatPayReadingError) in
      guard status == 204, body.isEmpty else {
        throw WeChatPayReadingError("The answer is not an empty one with status 204.")
      }
      return CloseAccepted()
    }
  }
}
