package import Cryptography

extension RSAPrivateKey {
  /// Signs a message as in receipts, some of which use SHA-1.
  package func receiptSignature(for message: some Sequence<UInt8>, digest: ReceiptDigest) -> [UInt8] {
    signature(forHash: digest.hash(message), digest)
  }
}
