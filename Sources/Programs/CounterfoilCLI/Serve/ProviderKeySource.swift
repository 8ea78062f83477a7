import HTTPMessages
import PaymentPrimitives
import PaymentServer

/// Reads the public keys of an identity provider.
enum ProviderKeySource {
  /// A sign-in waits for it.
  private static let timeLimit = TimeSpan.seconds(5)

  static func reader(
    of source: IdentityProvider.KeySource, on platform: Platform
  ) throws -> @Sendable () async throws -> [UInt8] {
    switch source {
    case .file(let path):
      let files = platform.files
      return {
        guard let bytes = try files.read(path, JSONWebKeySet.bytesMax) else {
          throw CommandFailure("\(path): there is no such file.")
        }
        return bytes
      }
    case .url(let url):
      let exchange = try platform.exchange(.anywhere)
      return {
        let response = try await exchange.send(HTTPRequest("GET", url), timeLimit)
        guard response.status == 200 else { throw CommandFailure("\(url): it answers with \(response.status).") }
        return response.body
      }
    }
  }
}
