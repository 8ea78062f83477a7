package import HTTPMessages
package import PaymentPrimitives

/// The address and the limits of a server.
package struct HTTPServerSettings: Sendable {
  /// The IP address to listen on: `127.0.0.1`, `0.0.0.0`, `::` for both families.
  package var address: String
  /// The port; 0 lets the system choose one, and `HTTPServer.address` then contains it.
  package var port: UInt16
  /// A socket that listens already, whose address and port are the two above; nil opens one. The server closes it.
  package var listeningDescriptor: Int32?
  /// The certificate for TLS; nil serves plain HTTP.
  package var certificate: Certificate?
  package var limits: HTTPServerLimits
  /// The proxies in front of the server. They may hold any number of connections, because they serve many clients.
  package var trustedProxies = TrustedProxies()
  /// Whether each connection of a trusted proxy begins with a PROXY protocol header, version 1 or 2, that names the
  /// client. The server never guesses: if this is set, a proxy must send the header, and no other client may.
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

  /// Creates settings for this address and port, with the default limits unless others are given.
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

/// The limits of a server, each with the reason for its size.
///
/// Deadlines are absolute: they end a phase even while the client is sending. The server checks them every 50 ms.
package struct HTTPServerLimits: Sendable {
  /// Bytes of the request line and all fields. Common proxies let 16 KiB through.
  package var headBytesMax = 16 * 1024
  /// Fields of one request. Browsers and proxies together send about thirty.
  package var fieldsMax = 128
  /// Bytes of a body on any route. An app receipt has at most 8 MiB, and arrives in JSON as Base64.
  package var bodyBytesMax = 12 * 1024 * 1024
  /// Smaller limits for the routes under a path; the longest path that matches decides.
  package var bodyBytesMaxByPath: [PathLimit] = []
  /// Total bytes of all bodies beyond 64 KiB each, so that many large bodies cannot use up the memory.
  package var heldBodyBytesMax = 256 * 1024 * 1024
  /// Open connections. A further one is answered with 503 and closed. The same happens to a connection that would take
  /// one of the last 64 descriptors of this process, so first raise that limit.
  package var connectionsMax = 4096
  /// The share of those connections, in percent, that one address may hold (IPv6: one network of 64 bits). A further
  /// connection is answered with 429 and closed. Four such addresses fill the server; an office or a carrier's gateway
  /// needs hundreds.
  package var connectionSharePercent = 25
  /// Threads that read, run the handlers of their connections, and write; 0 means one for each processor.
  package var threads = 0
  package var handshakeDeadline = TimeSpan.seconds(10)
  /// For the whole head, from its first byte; also for the first byte of a new connection.
  package var headDeadline = TimeSpan.seconds(10)
  /// For the body, in addition to the time that `bytesPerSecondMin` allows for the bytes received.
  package var bodyDeadline = TimeSpan.seconds(10)
  /// For sending the answer, in addition to the time that `bytesPerSecondMin` allows for its size.
  package var answerDeadline = TimeSpan.seconds(10)
  /// For the first byte of a further request on the same connection.
  package var idleDeadline = TimeSpan.seconds(60)
  /// How long the server keeps reading from a rejected client, so that the client can finish sending and read the
  /// reason.
  package var lingerDeadline = TimeSpan.seconds(2)
  /// The slowest connection that may send a large body: a phone with a weak signal.
  package var bytesPerSecondMin = 8 * 1024
  /// How long requests may continue after the server was asked to stop.
  package var drainLimit = TimeSpan.seconds(30)

  package init() {}

  /// A smaller limit of the body for the routes under a path.
  package struct PathLimit: Hashable, Sendable {
    /// The path, by whole segments: `/v1/orders` also matches `/v1/orders/1`, but not `/v1/ordersheet`.
    package var path: String
    /// The limit of a body there, in bytes; never more than the server's own `bodyBytesMax`.
    package var bodyBytesMax: Int

    package init(_ path: String, bodyBytesMax: Int) {
      self.path = path
      self.bodyBytesMax = bodyBytesMax
    }
  }

  /// The limit of a body for this decoded path, in bytes.
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
