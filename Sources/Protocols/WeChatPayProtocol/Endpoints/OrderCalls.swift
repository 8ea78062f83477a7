import HTTPMessages
package import PaymentPrimitives
import StrictJSON

// Calls that open, query and close an order in merchant mode. Partner mode will use the same calls under
// `/v3/pay/partner/transactions/`, with `sp_mchid` and `sub_mchid` in place of `mchid`. Its paths and identities belong
// into this file.

/// The result of opening an order.
package enum PrepayAnswer: Hashable, Sendable {
  /// For APP and JSAPI: valid for two hours.
  case prepayId(String)
  /// For H5: the payment page, valid for five minutes and one session. The URL must stay unchanged, except for
  /// `redirect_url`.
  case h5URL(String)
  /// For Native: the text of the QR code, valid for two hours. A later one invalidates it.
  case codeURL(String)
}

extension WeChatPayCall where Answer == PrepayAnswer {
  /// Opens an order.
  ///
  /// - Throws: a value that WeChat Pay would reject.
  package static func prepay(_ order: PrepayOrder) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    prepay(order.cashier.tradeType, body: try order.body())
  }

  /// Opens an order with the saved body of the first call: for retries, and for fresh parameters.
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
  /// Queries an order by our number.
  ///
  /// `orderNotFound` shortly after opening may mean that the order is not visible yet.
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

  /// Queries a paid order by WeChat Pay's number.
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

/// WeChat Pay accepted the request to close an order. This proves neither that the order is closed nor that it ever
/// existed. Query it afterwards.
package struct CloseAccepted: Hashable, Sendable {}

extension WeChatPayCall where Answer == CloseAccepted {
  /// Closes an order, so that it can no longer be paid. A payment in progress may still succeed: query the order
  /// afterwards.
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
