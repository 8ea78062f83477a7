import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import WeChatPayProtocol

/// Signs answers and notifications, each with the key that the policy chooses, and with the planned faults.
struct PlatformSignatures {
  let policy: PlatformKeyPolicy
  let keys: PlatformKeys
  /// The simulated time: it decides which key signs.
  let now: Timestamp
  /// The time of WeChat Pay's servers: the date of the signature.
  let wireTime: Timestamp
  let dependencies: Dependencies

  /// The header fields of an answer: signed by the public key that the request names, otherwise by the current choice.
  func answerFields(
    signing body: [UInt8], to merchant: SimulatedMerchant?, asked name: PlatformKeyName?, _ fault: WeChatPayFault?
  ) -> HTTPFields {
    let mode = merchant?.keyMode ?? policy.mode
    let named = name.flatMap { $0.isPublicKey && mode != .certificates ? $0 : nil }
    let key = named ?? chosen(policy.answers, mode)
    return fields(signing: body, by: keys.key(key, in: policy), fault)
  }

  /// The header fields of a notification: there is no request that could name a key. Until a caller chooses another
  /// key, a merchant whose orders do not name the public key gets the certificate that signs its answers.
  func notificationFields(
    signing body: [UInt8], to merchant: SimulatedMerchant?, _ fault: WeChatPayFault?
  ) -> HTTPFields {
    let mode = merchant?.keyMode ?? policy.mode
    let isUntouched = policy.notifications == PlatformKeyPolicy.Signing(.publicKey)
    let isOld = merchant?.keyMode == .certificates || merchant?.usesPublicKey == false && isUntouched
    let key = chosen(isOld ? policy.answers : policy.notifications, mode)
    return fields(signing: body, by: keys.key(key, in: policy), fault)
  }

  /// The current choice. A merchant without certificates gets a public key, whatever signs for others.
  private func chosen(_ signing: PlatformKeyPolicy.Signing, _ mode: PlatformKeyPolicy.Mode) -> PlatformKeyName {
    let name = drawn(signing)
    return mode == .publicKey && !name.isPublicKey ? .publicKey : name
  }

  private func drawn(_ signing: PlatformKeyPolicy.Signing) -> PlatformKeyName {
    guard let next = signing.to else { return signing.from }
    return Int64(dependencies.randomNumber(below: 1000)) < signing.permille(at: now) ? next : signing.from
  }

  /// The header fields that sign a body, with the planned fault.
  private func fields(signing body: [UInt8], by key: PlatformKey, _ fault: WeChatPayFault?) -> HTTPFields {
    let nonce = Nonce.text(randomBytes: dependencies.randomBytes(32))
    let moment = fault == .staleTimestamp ? wireTime - .seconds(301) : wireTime
    switch fault {
    case .probe:
      return key.signer.probeFields(at: moment, nonce: nonce, randomBytes: dependencies.randomBytes(120))
    case .wrongSignature: return key.signer.fields(signing: body + [0x20], at: moment, nonce: nonce)
    case .unknownKey:
      let stranger = PlatformSigner(
        identifier: .publicKey("PUB_KEY_ID_0000000000000000000000000000000404"), privateKey: key.privateKey)
      return stranger.fields(signing: body, at: moment, nonce: nonce)
    default: return key.signer.fields(signing: body, at: moment, nonce: nonce)
    }
  }
}
