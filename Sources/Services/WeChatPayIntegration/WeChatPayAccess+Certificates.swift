import Cryptography
import HTTPMessages
import PaymentPrimitives
import WeChatPayProtocol

extension WeChatPayAccess {
  /// The certificates of a download, decrypted with the newest APIv3 key or a former one: WeChat Pay and the merchant
  /// platform do not change it at the same moment.
  func certificates(
    in response: HTTPResponse, verifiedBy keys: PlatformKeyRing, at now: Timestamp
  ) throws(CodedError<CertificateDownloadErrorCode>) -> [X509Certificate] {
    do throws(CodedError<CertificateDownloadErrorCode>) {
      return try CertificateDownload.certificates(in: response, keys: keys, apiV3Key: merchant.apiV3Key, at: now)
    } catch {
      guard error.code == .decryption else { throw error }
      for key in formerAPIv3Keys {
        if let opened = try? CertificateDownload.certificates(in: response, keys: keys, apiV3Key: key, at: now) {
          return opened
        }
      }
      throw error
    }
  }
}
