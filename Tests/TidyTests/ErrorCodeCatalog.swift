import AppStoreProtocol
import AppStoreSimulator
import TOMLConfiguration
import Counterfoil
import Cryptography
import HTTPClient
import HTTPServer
import PaymentEngine
import PaymentServer
import PaymentDatabase
import PaymentPrimitives
import SystemPlatform
import WeChatPayProtocol
import WeChatPaySimulator

/// All error codes of the product, by the module that refuses with them.
///
/// A new list of codes gets its line here; the test of this folder finds one that is missing.
enum ErrorCodeCatalog {
  struct Entry: Sendable {
    let module: String
    let type: String
    let name: String
    let code: String
    let meaning: BilingualText
    let remedy: BilingualText
    let retry: RetryAdvice
  }

  static let entries: [Entry] = [
    all(of: AppStoreEvidenceErrorCode.self, "AppStoreProtocol"), all(of: SignedDataErrorCode.self, "AppStoreProtocol"),
    all(of: ReceiptErrorCode.self, "AppStoreProtocol"),
    all(of: SimulatorErrorCode.self, "AppStoreSimulator"),
    all(of: WeChatPaySimulatorErrorCode.self, "WeChatPaySimulator"),
    all(of: ConfigurationErrorCode.self, "TOMLConfiguration"), all(of: PurchasingErrorCode.self, "Counterfoil"),
    all(of: CryptographyErrorCode.self, "Cryptography"), all(of: HTTPClientErrorCode.self, "HTTPClient"),
    all(of: HTTPServerErrorCode.self, "HTTPServer"), all(of: EngineErrorCode.self, "PaymentEngine"),
    all(of: ServerErrorCode.self, "PaymentServer"),
    all(of: UserTokenKeyErrorCode.self, "PaymentServer"), all(of: DatabaseErrorCode.self, "PaymentDatabase"),
    all(of: SystemErrorCode.self, "SystemPlatform"), all(of: GzipErrorCode.self, "WeChatPayProtocol"),
    all(of: CertificateDownloadErrorCode.self, "WeChatPayProtocol"),
    all(of: MerchantKeyErrorCode.self, "WeChatPayProtocol"), all(of: NotificationErrorCode.self, "WeChatPayProtocol"),
    all(of: PlatformSignatureErrorCode.self, "WeChatPayProtocol"),
    all(of: RequestSignatureErrorCode.self, "WeChatPayProtocol"),
    all(of: SealedResourceErrorCode.self, "WeChatPayProtocol"), all(of: TradeBillErrorCode.self, "WeChatPayProtocol"),
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
        module: module, type: "\(type)", name: "\(code)", code: code.rawValue, meaning: code.meaning,
        remedy: code.remedy,
        retry: code.retry)
    }
  }

  /// The enumerations of codes that the sources declare: `enum X: String, ErrorCode`.
  static func declaredTypes(in files: [SourceFile]) -> Set<String> {
    var types: Set<String> = []
    for file in files where file.path.hasPrefix("Sources/") {
      for index in file.code.indices where file.code[index].is("enum") && index + 1 < file.code.count {
        let inherited = file.code[(index + 2)...].prefix { !$0.is("{") }
        if inherited.contains(where: { $0.is("ErrorCode") }) { types.insert(file.code[index + 1].text) }
      }
    }
    return types
  }

  /// Whether a test speaks of the code: by its text, or by its case in a file that imports its module.
  static func isReached(_ entry: Entry, by tests: [Reach]) -> Bool {
    tests.contains {
      $0.words.contains(entry.code) || $0.imports.contains(entry.module) && $0.cases.contains(entry.name)
    }
  }

  /// What a test file may reach: read once, for there are hundreds of codes and of files.
  struct Reach: Sendable {
    /// The words in its texts.
    let words: Set<String>
    /// What it imports.
    let imports: Set<String>
    /// What stands in it behind a dot.
    let cases: Set<String>

    init(_ file: SourceFile) {
      words = Set(
        file.code.filter { $0.kind == .text }.flatMap { token in
          token.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        })
      imports = Set(ImportRule.imports(in: file).map(\.name))
      cases = Set(zip(file.code, file.code.dropFirst()).filter { $0.0.is(".") }.map(\.1.text))
    }
  }

  /// The page `docs/reference/errors.md`.
  static var page: String {
    var lines = [
      "# Error codes", "",
      "Every refusal has a code that is stable for ever. It stands in the `code` of an answer, in logs, and in the",
      "last part of its `type`. 每个拒绝都有永久不变的错误码。", "",
      "This page is generated from the sources: `make errors` writes it. 本页由源码生成。",
    ]
    for module in Set(entries.map(\.module)).sorted() {
      lines += ["", "## \(module)", "", "| code | meaning | remedy | again? |", "|---|---|---|---|"]
      for entry in entries.filter({ $0.module == module }).sorted(by: { $0.code < $1.code }) {
        let cells = [
          "`\(entry.code)`", "\(cell(entry.meaning))", "\(cell(entry.remedy))",
          entry.retry == .later ? "later 稍后可重试" : "no 否",
        ]
        lines.append("| " + cells.joined(separator: " | ") + " |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cell(_ text: BilingualText) -> String {
    "\(text.english)<br>\(text.chinese)".split(separator: "|", omittingEmptySubsequences: false).joined(
      separator: "\\|")
  }
}
