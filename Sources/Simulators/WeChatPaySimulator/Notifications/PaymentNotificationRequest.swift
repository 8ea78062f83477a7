import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// Writes, encrypts and signs a notification as it would be sent now.
struct PaymentNotificationRequest {
  let snapshot: WeChatPaySnapshot

  func request(for notification: SimulatedPaymentNotification, fault: WeChatPayFault?) -> HTTPRequest {
    let merchant = snapshot.state.merchants[notification.mchid]
    let text = notification.fault == .otherAPIv3Key ? "another-test-key-of-32-bytes-000" : merchant?.testAPIv3Key ?? ""
    var body: [UInt8] = []
    if let key = try? APIv3Key(Secret(text.utf8)) {
      let kind = notification.operation.resourceType
      let resource = SealedResource(
        sealing: Array(notification.plaintext.utf8), key: key, nonce: notification.nonce,
        associatedData: snapshot.state.behaviours.isOn(.noAssociatedData) ? "" : kind, originalType: kind)
      body =
        WeChatPayNotification.body(
          id: notification.id, createTime: notification.createdAt, eventType: notification.eventType,
          summary: notification.summary, resource: resource
        ).bytes
    }
    var fields = snapshot.signatures.notificationFields(signing: body, to: merchant, fault)
    if fault == .unsigned { fields = [:] }
    if fault == .cutAnswer { body = Array(body.prefix(body.count / 2)) }
    fields.add("Content-Type", "application/json")
    fields.add("Accept", "*/*")
    fields.add("User-Agent", "Mozilla/4.0")
    return HTTPRequest(
      "POST", merchant?.notificationTarget(notification.url) ?? notification.url, fields: fields, body: body)
  }
}

extension WeChatPayOperation {
  /// `original_type` and `associated_data` of a notification.
  fileprivate var resourceType: String {
    switch self {
    case .refundNotification: "refund"
    case .echoNotification: "security"
    case .complaintNotification: "complaint"
    default: "transaction"
    }
  }
}

extension SimulatedPaymentNotification {
  fileprivate var summary: String {
    switch WeChatPayEventType(rawValue: eventType) {
    case .transactionSuccess: "支付成功"
    case .refundSuccess: "退款成功"
    case .refundAbnormal: "退款异常"
    case .refundClosed: "退款关闭"
    case .complaintCreate: "产生新投诉"
    case .complaintStateChange: "投诉单状态变化"
    case .securityEchoSuccess, nil: "通知"
    }
  }
}
