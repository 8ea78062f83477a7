import HTTPMessages
import WeChatPayProtocol

/// The API v3 call of a request: the first thing that the gate determines.
struct APIRoute {
  let operation: WeChatPayOperation
  /// The trade type of a prepay call.
  var tradeType: TradeType?
  var number = ""
  let target: RequestTarget

  /// The route of a request.
  ///
  /// - Throws: 404 for an unknown path, 405 for a wrong method.
  init(method: String, rawTarget: String) throws(APIProblem) {
    guard let target = RequestTarget(rawTarget) else { throw Self.unknown }
    self.target = target
    let expected: String
    switch target.path.count {
    case 4 where target.path.starts(with: ["v3", "pay", "transactions"]):
      guard let tradeType = Self.tradeTypes[target.path[3]] else { throw Self.unknown }
      (operation, expected) = (.prepay, "POST")
      self.tradeType = tradeType
    case 5 where target.path.starts(with: ["v3", "pay", "transactions", "out-trade-no"]):
      (operation, expected, number) = (.query, "GET", target.path[4])
    case 5 where target.path.starts(with: ["v3", "pay", "transactions", "id"]):
      (operation, expected, number) = (.queryTransaction, "GET", target.path[4])
    case 6 where target.path.starts(with: ["v3", "pay", "transactions", "out-trade-no"]) && target.path[5] == "close":
      (operation, expected, number) = (.close, "POST", target.path[4])
    case 4 where target.path == ["v3", "refund", "domestic", "refunds"]: (operation, expected) = (.refund, "POST")
    case 5 where target.path.starts(with: ["v3", "refund", "domestic", "refunds"]):
      (operation, expected, number) = (.queryRefund, "GET", target.path[4])
    case 6
    where target.path.starts(with: ["v3", "refund", "domestic", "refunds"])
      && target.path[5] == "apply-abnormal-refund":
      (operation, expected, number) = (.abnormalRefund, "POST", target.path[4])
    case 3 where target.path == ["v3", "bill", "fundflowbill"]: (operation, expected) = (.fundFlowBill, "GET")
    case 3 where target.path == ["v3", "bill", "tradebill"]: (operation, expected) = (.tradeBill, "GET")
    case 3 where target.path == ["v3", "billdownload", "file"]: (operation, expected) = (.downloadBill, "GET")
    case 2 where target.path == ["v3", "certificates"]: (operation, expected) = (.certificates, "GET")
    case 3 where target.path == ["v3", "security", "echo"]: (operation, expected) = (.echo, "POST")
    case 3 where target.path == ["v3", "merchant-service", "complaints-v2"]:
      (operation, expected) = (.complaints, "GET")
    case 4 where target.path.starts(with: ["v3", "merchant-service", "complaints-v2"]):
      (operation, expected, number) = (.complaint, "GET", target.path[3])
    case 4 where target.path.starts(with: ["v3", "merchant-service", "images"]):
      (operation, expected, number) = (.complaintPicture, "GET", target.path[3])
    case 5 where target.path.starts(with: ["v3", "merchant-service", "complaints-v2"]):
      guard let found = Self.complaintVerbs[target.path[4]] else { throw Self.unknown }
      (operation, expected, number) = (found.operation, found.method, target.path[3])
    default: throw Self.unknown
    }
    guard method == expected else { throw APIProblem(405, "METHOD_NOT_ALLOWED", message: "不支持的请求方法") }
  }

  private static let unknown = APIProblem(404, "RESOURCE_NOT_EXISTS", message: "请求的资源不存在")
  private static let complaintVerbs: [String: (operation: WeChatPayOperation, method: String)] = [
    "negotiation-historys": (.complaintHistory, "GET"), "response": (.answerComplaint, "POST"),
    "complete": (.completeComplaint, "POST"), "update-refund-progress": (.decideComplaintRefund, "POST"),
  ]
  private static let tradeTypes: [String: TradeType] = ["app": .app, "jsapi": .jsapi, "h5": .h5, "native": .native]
}
