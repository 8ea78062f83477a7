import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What operator keys change, for the audit log. A call that changes something leaves one entry: with its first change,
/// or after it if it changed nothing or was refused.
package enum OperatorAudit {
  /// How the audit log tells a use case: the action, what it is done on, and the parameter of the path that names it.
  package struct Words: Hashable, Sendable {
    package let action: String
    package let objectKind: String?
    let parameter: String?

    init(_ action: String, on objectKind: String? = nil, named parameter: String? = nil) {
      self.action = action
      self.objectKind = objectKind
      self.parameter = parameter
    }
  }

  /// By the name of the use case; every route that takes an operator key and is no `GET` stands here.
  package static let words: [String: Words] = [
    "LookUpOrder": Words("order.lookUp"),
    "ClaimUnclaimedPayment": Words("payment.claim", on: "payment", named: "transactionId"),
    "RetryPayment": Words("payment.retry", on: "payment", named: "transactionId"),
    "SetAsidePayment": Words("payment.setAside", on: "payment", named: "transactionId"),
    "ReleasePayment": Words("payment.release", on: "payment", named: "transactionId"),
    "RefundPayment": Words("payment.refund", on: "payment", named: "transactionId"),
    "DecideDisputedRefund": Words("payment.decideRefund", on: "payment", named: "transactionId"),
    "RedriveDelivery": Words("delivery.redrive", on: "delivery", named: "deliveryId"),
    "RefundOrder": Words("order.refund", on: "order", named: "orderId"),
    "WriteOffDebt": Words("balance.writeOff", on: "user", named: "userId"),
    "RedirectRefund": Words("refund.redirect", on: "refund", named: "refundNumber"),
    "Reconcile": Words("day.reconcile"),
    "RetryStoppedChanges": Words("queue.retry"),
    "AssignItem": Words("queue.assign", on: "item", named: "itemId"),
    "ExtendSubscription": Words("subscription.extend", on: "subscription", named: "originalTransactionId"),
    "AnswerComplaint": Words("complaint.answer", on: "complaint", named: "complaintId"),
    "CompleteComplaint": Words("complaint.complete", on: "complaint", named: "complaintId"),
    "ExtendAllSubscribers": Words("product.extend", on: "product", named: "storeProductId"),
    // The engine names the alias: the audit log never has the user.
    "EraseUser": Words("user.erase", on: "user"),
    "CreateKey": Words("key.create"), "RevokeKey": Words("key.revoke", on: "key", named: "keyId"),
  ]

  /// What a backend's key does that nothing undoes, and that leaves an entry, too.
  private static let alsoOfBackends: Set<String> = ["EraseUser"]

  /// The action of a call; nil for one that changes nothing, and mostly for other callers than operators.
  static func action(of call: Call, for route: Route) -> ActionDescription? {
    guard call.operatorName != nil || alsoOfBackends.contains(route.name), let key = call.key, route.method != "GET",
      let words = words[route.name]
    else { return nil }
    let isHere = call.server.settings.localOperatorKeys.contains { $0.id == key }
    // The number of a request is drawn anew for each, so no other call has this name.
    let name = "\(key.text) \(call.requestId) \(call.server.now.milliseconds)"
    var action = ActionDescription(
      words.action, by: isHere ? .host : .key, isHere ? "this machine" : key.text,
      key: Array(SHA256.hash(name)).hexadecimal)
    action.role = call.role
    action.address = call.client.text
    action.app = call.app?.id
    action.requestId = call.requestId
    action.objectKind = words.objectKind
    // What cannot be read here is refused by the route itself.
    let body = try? call.json()
    action.environment = body?["environment"]?.string.flatMap(StoreEnvironment.init(rawValue:))
    action.reason = body?["reason"]?.string.map { String($0.prefix(ActionDescription.reasonLength.upperBound)) }
    if route.name == "EraseUser" {
      action.reason = action.reason.map {
        NamesInText.replaced([call.parameter("userId")], by: "the user", in: $0)
      }
    }
    if let parameter = words.parameter {
      let store = route.name == "RefundPayment" ? "weChatPay" : body?["store"]?.string ?? "appStore"
      let object = call.parameter(parameter)
      action.object = words.objectKind == "payment" ? "\(store):\(object)" : object
    }
    return action
  }
}
