import Foundation

/// What `CatalogProgram` of the main package prints: the values of the modules from which pages are made.
package struct Catalog: Decodable, Sendable {
  package struct ErrorCode: Decodable, Sendable {
    let module: String
    let type: String
    /// The name of its case.
    let name: String
    let code: String
    let meaning: Bilingual
    let remedy: Bilingual
    let isRetriable: Bool

    package init(
      module: String, type: String, name: String, code: String, meaning: Bilingual, remedy: Bilingual,
      isRetriable: Bool
    ) {
      self.module = module
      self.type = type
      self.name = name
      self.code = code
      self.meaning = meaning
      self.remedy = remedy
      self.isRetriable = isRetriable
    }
  }

  package struct Bilingual: Decodable, Sendable {
    let english: String
    let chinese: String

    package init(english: String, chinese: String) {
      self.english = english
      self.chinese = chinese
    }
  }

  let errorCodes: [ErrorCode]
  /// The text of `docs/reference/operator-queue.md`.
  let operatorQueue: String
  /// The text of `docs/reference/metrics.md`.
  let metrics: String
  /// The texts of `docs/reference/configuration.md` and of its Chinese page.
  let configuration: Bilingual
  /// The scenarios of `counterfoil-lab trigger`.
  let triggers: [String]

  static func read(at root: URL) throws -> Catalog {
    let program = root.appending(path: ".build/debug/CatalogProgram").path
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Toolchain.Failure(description: "there is no \(program); first: swift build")
    }
    return try JSONDecoder().decode(Catalog.self, from: Data(try Toolchain.output(program, []).utf8))
  }
}
