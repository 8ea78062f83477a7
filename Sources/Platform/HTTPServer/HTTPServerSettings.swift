package import HTTPMessages
package import PaymentPrimitives

/// Where a server listens and what it allows.
package struct HTTPServerSettings: Sendable {
  /// The IP address to listen on: `127.0.0.1`, `0.0.0.0`, `::` for both families.
  package var address: String
  /// The port; 0 lets the system choose one, which the server then names.
  package var port: UInt16
  /// The certificate to serve TLS with; nil serves plain HTTP.
  package var certificate: Certificate?
  package var limits: HTTPServerLimits
  /// The proxies in front: they may hold any number of connections, because they hold them for many.
  package var trustedProxies = TrustedProxies()
  /// Whether each connection of theirs begins with a PROXY protocol header, version 1 or 2, that names the client. It
  /// is never guessed: with this set a proxy must send one, and nobody else may.
  package var readsProxyProtocol = false

  /// PEM files of a certificate chain, leaf first, and of its private key.
  package struct Certificate: Hashable, Sendable {
    package var chainFile: String
    /// The file with the key, which has no password.
    package var keyFile: String

    package init(chainFile: String, keyFile: String) {
      self.chainFile = chainFile
      self.keyFile = keyFile
    }
  }

  /// A server on that address and port, with the usual limits unless others are given.
  package init(
    address: String = "127.0.0.1", port: UInt16 = 0, certificate: Certificate? = nil,
    limits: HTTPServerLimits = HTTPServerLimits()
  ) {
    self.address = address
    self.port = port
    self.certificate = certificate
    self.limits = limits
  }
}

/// The bounds of a server, each with the reason for its size.
///
/// Deadlines are absolute: they end a phase however busily the client sends. They are looked at every 50 ms.
package struct HTTPServerLimits: Sendable {
  /// Bytes of the request line and all fields. 16 KiB is what common proxies let through.
  package var headBytesMax = 16 * 1024
  /// Fields of one request. Browsers and proxies together send about thirty.
  package var fieldsMax = 128
  /// Bytes of a body on any route: an app receipt has at most 8 MiB, and comes in JSON as Base64.
  package var bodyBytesMax = 12 * 1024 * 1024
  /// Lower bounds for the routes under a path; the longest path that fits decides.
  package var bodyBytesMaxByPath: [PathLimit] = []
  /// Bytes that all bodies together may hold beyond 64 KiB of each, so that many large ones cannot use up the memory.
  package var heldBodyBytesMax = 256 * 1024 * 1024
  /// Open connections; one more is answered 503 and closed. So is one that would take the last 64 descriptors that this
  /// process may have: raise its limit first.
  package var connectionsMax = 4096
  /// The share of those connections, in percent, that one address may hold (of IPv6: one network of 64 bits); one more
  /// is answered 429 and closed. Four such addresses fill the server; an office or a carrier's gateway needs hundreds.
  package var connectionSharePercent = 25
  /// Threads that read and write; handlers run on Swift's own.
  package var threads = 2
  package var handshakeDeadline = TimeSpan.seconds(10)
  /// For the whole head, from its first byte; also for the first byte of a new connection.
  package var headDeadline = TimeSpan.seconds(10)
  /// For the body, beside the time that `bytesPerSecondMin` allows for what has come.
  package var bodyDeadline = TimeSpan.seconds(10)
  /// For sending the answer, beside the time that `bytesPerSecondMin` allows for its size.
  package var answerDeadline = TimeSpan.seconds(10)
  /// For the first byte of a further request on the same connection.
  package var idleDeadline = TimeSpan.seconds(60)
  /// How long a refused client is listened to, so that it can finish sending and read why.
  package var lingerDeadline = TimeSpan.seconds(2)
  /// The slowest connection that may send a large body: a phone with a bad signal.
  package var bytesPerSecondMin = 8 * 1024
  /// How long requests may go on after the server was asked to stop.
  package var drainLimit = TimeSpan.seconds(30)

  package init() {}

  /// A lower bound of the body for the routes under a path.
  package struct PathLimit: Hashable, Sendable {
    /// The path, by whole segments: `/v1/orders` is also for `/v1/orders/1`, not for `/v1/ordersheet`.
    package var path: String
    /// Bytes of a body there; never more than the server's own `bodyBytesMax`.
    package var bodyBytesMax: Int

    package init(_ path: String, bodyBytesMax: Int) {
      self.path = path
      self.bodyBytesMax = bodyBytesMax
    }
  }

  /// The most bytes that a body for this decoded path may have.
  func bodyBytesMax(forPath path: [String]) -> Int {
    let fitting = bodyBytesMaxByPath.compactMap { limit -> (depth: Int, bytes: Int)? in
      let prefix = limit.path.utf8.split(separator: 0x2F)
      guard prefix.count <= path.count,
        zip(prefix, path).allSatisfy({ $0.elementsEqual($1.utf8) })
      else { return nil }
      return (prefix.count, limit.bodyBytesMax)
    }
    let deepest = fitting.max { $0.depth < $1.depth }
    return max(0, min(bodyBytesMax, deepest?.bytes ?? bodyBytesMax))
  }
}
