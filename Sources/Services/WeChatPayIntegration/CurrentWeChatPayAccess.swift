import PaymentEngine
import PaymentPrimitives
import Synchronization
import WeChatPayProtocol

/// The access of the calls that begin now, and which key of the merchant signs them.
final class CurrentWeChatPayAccess: Sendable {
  private let state: Mutex<(access: WeChatPayAccess, choice: CredentialChoice)>

  init(_ access: WeChatPayAccess) { state = Mutex((access, CredentialChoice())) }

  var access: WeChatPayAccess { state.withLock { $0.access } }

  func replace(by access: WeChatPayAccess) { state.withLock { $0 = (access, CredentialChoice()) } }

  /// The merchant with each of its keys, in the order in which they are tried.
  func merchants(at now: Timestamp) -> [(number: Int, merchant: MerchantCredentials)] {
    state.withLock { state in
      let all = state.access.allMerchants
      return state.choice.order(of: all.count, at: now).map { ($0, all[$0]) }
    }
  }

  func accepted(_ number: Int, at now: Timestamp) -> Bool {
    state.withLock { $0.choice.accepted(number, of: $0.access.allMerchants.count, at: now) }
  }
}
