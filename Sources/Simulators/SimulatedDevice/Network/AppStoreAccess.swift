import AppStoreSimulator
import PaymentPrimitives
import Synchronization

/// The device's access to the App Store, and the charges that it got there.
final class AppStoreAccess: Sendable {
  let identifier: AppStoreUUID
  let bundleId: String
  /// Apple's own link to the App Store: a parent's approval and a refund need no phone.
  let approvals: any AppStoreLink
  private let link: any AppStoreLink
  private let appleLink: NetworkLink
  private let settings: DeviceSettings
  private let requested = Mutex<[TransactionIdentifier]>([])

  /// - Parameters:
  ///   - link: how the device reaches the App Store; each call passes `appleLink` first.
  ///   - approvals: how Apple's servers reach the App Store.
  init(
    identifier: AppStoreUUID, bundleId: String, link: any AppStoreLink, appleLink: NetworkLink,
    approvals: any AppStoreLink, settings: DeviceSettings
  ) {
    self.identifier = identifier
    self.bundleId = bundleId
    self.approvals = approvals
    self.link = link
    self.appleLink = appleLink
    self.settings = settings
  }

  var owner: AppOwner { AppOwner(account: settings.account.id, bundleId: bundleId) }

  var isUp: Bool { appleLink.isUp }

  /// The charges that this device requested and got.
  var charges: [TransactionIdentifier] { requested.withLock { $0 } }

  func note(_ charge: TransactionIdentifier) { requested.withLock { $0.append(charge) } }

  /// Calls the App Store over the device's link.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (SimulatedAppStore) async throws -> Answer
  ) async throws(DeviceFailure) -> Answer {
    do {
      return try await appleLink.cross { try await link.reach(body) }
    } catch is LinkBroken {
      throw .networkDown
    } catch is LinkDown {
      throw .networkDown
    } catch let refusal as CodedError<SimulatorErrorCode> {
      switch refusal.code {
      case .productUnknown: throw .productUnavailable
      case .quantityNotAllowed: throw .quantityNotAllowed
      case .offerNotAllowed: throw .offerNotAllowed
      case .offerSignatureInvalid: throw .offerSignatureInvalid
      default: throw .unknown(inner: 0)
      }
    } catch {
      throw .unknown(inner: 0)
    }
  }

  /// Asks the App Store to charge over the device's link.
  func charge(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface
  ) async throws(DeviceFailure) -> SimulatedPurchase {
    let request = request(payment, interface)
    let purchase = try await ask { try await $0.purchases.purchase(request) }
    if purchase.outcome == .charged { note(purchase.transaction.id) }
    return purchase
  }

  /// A user name that is a UUID becomes the account token; the App Store receives no other user name (rule SK1-9).
  func request(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface
  ) -> SimulatedPurchaseRequest {
    var request = SimulatedPurchaseRequest(owner: owner, product: payment.product)
    request.quantity = payment.quantity
    request.appAccountToken = payment.userName.flatMap { AppStoreUUID($0) }
    request.deviceVerificationId = identifier
    request.interface = interface
    // Win-back offers are a behaviour setting of the device (rule SK2-25).
    if let signature = payment.offerSignature {
      request.offerIdentifier = payment.offer
      request.offerSignature = signature
    }
    return request
  }
}
