/// Where the console listens, and how browsers reach it.
package struct ConsoleListenSettings: Hashable, Sendable {
  package var address: String
  package var port: UInt16
  /// `https://console.example.com`: what browsers show, without a path.
  package var origin: String

  package init(address: String, port: UInt16, origin: String) {
    self.address = address
    self.port = port
    self.origin = origin
  }
}
