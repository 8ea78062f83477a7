import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON

/// Signs the App Store's payloads, at the App Store's time; it caches the chains.
///
/// It belongs to the App Store's actor: all its calls run there.
final class AppStoreSigner {
  let authority: SimulatedSigningAuthority
  /// The revocations so far: data is signed with what was in use at its moment (rule AS-KEY-7).
  var revocations: [SimulatedCertificateRevocation]
  /// Where the certificates say that their status can be asked; nil if they do not say (rule AS-KEY-8).
  var statusAddress: String? {
    didSet { chains = [:] }
  }
  private var chains: [SigningCertificates: SigningChain] = [:]
  private var receiptChains: [Int64: ReceiptSigningChain] = [:]

  private let receiptKeys: PreparedReceiptKeys?

  init(
    _ authority: SimulatedSigningAuthority, _ receiptKeys: PreparedReceiptKeys?,
    after revocations: [SimulatedCertificateRevocation]
  ) {
    self.authority = authority
    self.revocations = revocations
    self.receiptKeys = receiptKeys
  }

  /// The compact JWS of a payload, signed by the leaf of that moment (rule AS-KEY-3).
  func sign(_ payload: some SignedPayload, at moment: Timestamp) -> String {
    let certificates = authority.certificates(at: moment, after: revocations)
    let chain = chains[certificates] ?? authority.signingChain(certificates, statusAddress: statusAddress)
    chains[certificates] = chain
    return chain.sign(payload.json)
  }

  /// The chain that signs receipts at that moment.
  func receiptChain(at moment: Timestamp) -> ReceiptSigningChain {
    let number = authority.leafNumber(at: moment)
    let chain = receiptChains[number] ?? authority.receiptChain(leaf: number, receiptKeys)
    receiptChains[number] = chain
    return chain
  }

  /// The device verification value (rule AS-SIGN-3): SHA-384 over the nonce followed by the id, both as lower-case
  /// UUIDs, in Base64.
  static func deviceVerification(nonce: AppStoreUUID, device: AppStoreUUID) -> String {
    Base64.encode(SHA384.hash((nonce.text + device.text).utf8))
  }

  /// A notification; each part inside has its own signature. The same notification always gives the same text.
  func sign(_ notification: SimulatedNotification) -> String {
    let facts = notification.facts
    var payload = ResponseBodyV2DecodedPayload()
    payload.notificationType = .known(facts.type)
    payload.subtype = facts.subtype.map { .known($0) }
    payload.notificationUUID = facts.uuid.text
    payload.version = "2.0"
    payload.signedDate = facts.signedDate
    switch facts.content {
    case .data, .consumptionRequest: payload.data = data(of: notification)
    case .consent: payload.appData = appData(of: notification)
    case .externalPurchase(let token): payload.externalPurchaseToken = token
    case .summary(let summary): payload.summary = summary
    case .seats(let ids):
      var info = UnclaimInfo()
      info.environment = .known(facts.environment.word)
      info.appAppleId = notification.appAppleId
      info.bundleId = facts.bundleId
      info.unclaimSeatIds = ids
      payload.unclaimInfo = info
    }
    return sign(payload, at: facts.signedDate)
  }

  private func data(of notification: SimulatedNotification) -> NotificationData {
    let facts = notification.facts
    var data = NotificationData()
    data.environment = .known(facts.environment.word)
    data.appAppleId = notification.appAppleId
    data.bundleId = facts.bundleId
    data.bundleVersion = notification.bundleVersion
    data.signedTransactionInfo = notification.transaction.map { sign($0, at: facts.signedDate) }
    data.signedRenewalInfo = notification.renewalInfo.map { sign($0, at: facts.signedDate) }
    data.status = notification.status.map { .known($0) }
    if case .consumptionRequest(let reason) = facts.content { data.consumptionRequestReason = .known(reason) }
    return data
  }

  private func appData(of notification: SimulatedNotification) -> AppData {
    let facts = notification.facts
    var data = AppData()
    data.environment = .known(facts.environment.word)
    data.appAppleId = notification.appAppleId
    data.bundleId = facts.bundleId
    data.signedAppTransactionInfo = notification.appTransaction.map { sign($0, at: facts.signedDate) }
    return data
  }
}
