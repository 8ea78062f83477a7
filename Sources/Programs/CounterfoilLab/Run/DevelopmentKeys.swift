import CounterfoilCLI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// API keys of the ready-made shop, kept beside its database so that everything can be tried at once. Never for
/// production: there a key is shown once.
struct DevelopmentKeys: Sendable {
  let publishable: String
  let secret: String
  let `operator`: String

  static func of(
    _ engine: PaymentEngine, in folder: String, _ platform: Platform
  ) async throws -> DevelopmentKeys {
    let path = SimulatedProfile.keys(in: folder)
    if let bytes = try platform.files.read(path, 64 << 10), let kept = try? read(bytes),
      try await engine.key(text: kept.operator) != nil
    {
      return kept
    }
    func make(_ kind: APIKey.Kind) async throws -> String {
      try await engine.createKey(
        kind, for: SimulatedProfile.app, label: "development", role: kind == .operator ? .admin : nil
      ).text
    }
    let made = DevelopmentKeys(
      publishable: try await make(.publishable), secret: try await make(.secret),
      operator: try await make(.operator))
    try platform.files.replace(path, made.json.bytes)
    return made
  }

  private static func read(_ bytes: [UInt8]) throws -> DevelopmentKeys {
    let fields = try JSONFields(JSONReader.read(bytes))
    return DevelopmentKeys(
      publishable: try fields.string("publishable"), secret: try fields.string("secret"),
      operator: try fields.string("operator"))
  }

  private var json: JSONValue {
    .members([
      ("publishable", .string(publishable)), ("secret", .string(secret)),
      ("operator", .string(self.operator)),
    ])
  }
}
