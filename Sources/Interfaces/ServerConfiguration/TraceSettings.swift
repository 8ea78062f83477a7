package import Cryptography
package import PaymentEngine

/// Where traces are sent, and which of them.
package struct TraceSettings: Sendable {
  /// The address of the collector with its path: `http://127.0.0.1:4318/v1/traces`.
  package var url: String
  /// Header fields of each request, such as an authorization. Their values are secrets.
  package var headers: [(name: String, value: Secret)]
  package var sampling: TraceSampling
  /// The name of this service in traces.
  package var service: String

  package init(url: String, headers: [(name: String, value: Secret)], sampling: TraceSampling, service: String) {
    self.url = url
    self.headers = headers
    self.sampling = sampling
    self.service = service
  }
}
