import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import Cryptography
import HTTPClient
import HTTPServer
import PaymentDatabase
import PaymentEngine
import PaymentPrimitives
import PaymentServer
import SystemPlatform
import TOMLConfiguration
import WeChatPayProtocol
import WeChatPaySimulator

/// All error codes of the product, by the module that refuses with them.
///
/// A new list of codes gets its line here; `make tidy` finds one that is missing.
enum ErrorCodeCatalog {
  struct Entry: Encodable, Sendable {
    let module: String
    let type: String
    let name: String
    let code: String
    let meaning: [String: String]
    let remedy: [String: String]
    let isRetriable: Bool
  }

  static let entries: [Entry] = [
    all(of: AppStoreEvidenceErrorCode.self, "AppStoreProtocol"), all(of: SignedDataErrorCode.self, "AppStoreProtocol"),
    all(of: ReceiptErrorCode.self, "AppStoreProtocol"),
    all(of: SimulatorErrorCode.self, "AppStoreSimulator"),
    all(of: WeChatPaySimulatorErrorCode.self, "WeChatPaySimulator"),
    all(of: ConfigurationErrorCode.self, "TOMLConfiguration"), all(of: PurchasingErrorCode.self, "Counterfoil"),
    all(of: CryptographyErrorCode.self, "Cryptography"), all(of: HTTPClientErrorCode.self, "HTTPClient"),
    all(of: HTTPServerErrorCode.self, "HTTPServer"), all(of: EngineErrorCode.self, "PaymentEngine"),
    all(of: ServerErrorCode.self, "PaymentServer"), all(of: ExportErrorCode.self, "PaymentServer"),
    all(of: UserTokenKeyErrorCode.self, "PaymentServer"), all(of: DatabaseErrorCode.self, "PaymentDatabase"),
    all(of: SystemErrorCode.self, "SystemPlatform"), all(of: GzipErrorCode.self, "WeChatPayProtocol"),
    all(of: CertificateDownloadErrorCode.self, "WeChatPayProtocol"),
    all(of: MerchantKeyErrorCode.self, "WeChatPayProtocol"), all(of: NotificationErrorCode.self, "WeChatPayProtocol"),
    all(of: PlatformSignatureErrorCode.self, "WeChatPayProtocol"),
    all(of: RequestSignatureErrorCode.self, "WeChatPayProtocol"),
    all(of: SealedResourceErrorCode.self, "WeChatPayProtocol"), all(of: BillErrorCode.self, "WeChatPayProtocol"),
    all(of: AppStoreKeyErrorCode.self, "AppStoreProtocol"),
    all(of: AppStoreServerErrorCode.self, "AppStoreProtocol"),
    all(of: AppStoreServerRequestErrorCode.self, "AppStoreProtocol"),
    all(of: VerifyReceiptErrorCode.self, "AppStoreProtocol"),
    all(of: WeChatPayErrorCode.self, "WeChatPayProtocol"),
    all(of: WeChatPayEvidenceErrorCode.self, "WeChatPayProtocol"),
    all(of: WeChatPayRequestErrorCode.self, "WeChatPayProtocol"),
  ].flatMap { $0 }

  private static func all<Code: ErrorCode>(of type: Code.Type, _ module: String) -> [Entry] {
    Code.allCases.map { code in
      Entry(
        module: module, type: "\(type)", name: "\(code)", code: code.rawValue, meaning: words(code.meaning),
        remedy: words(code.remedy), isRetriable: code.retry == .later)
    }
  }

  private static func words(_ text: BilingualText) -> [String: String] {
    ["english": text.english, "chinese": text.chinese]
  }
}
