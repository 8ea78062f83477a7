import HTTPMessages
import PaymentDatabase
import ServerConfiguration

/// Where a server listens: at a socket that a service manager opened, or where the configuration says.
struct ListeningPlace {
  /// The name of the socket in its unit (`FileDescriptorName=`).
  private static let name = "api"

  let settings: ListenSettings
  /// Who opened the socket, for the log.
  let origin: String
  /// What is wrong with the socket's address, for the log. The configuration's own address was checked before.
  let doubts: [String]

  init(_ configuration: ServerConfiguration, _ platform: Platform) throws {
    guard let socket = try platform.inheritedSocket(Self.name) else {
      settings = configuration.listen
      origin = "server"
      doubts = []
      return
    }
    var listen = configuration.listen
    listen.address = socket.address
    listen.port = socket.port
    listen.listeningDescriptor = socket.descriptor
    settings = listen
    origin = "serviceManager"
    let isThisMachine = socket.address == "::1" || socket.address.hasPrefix("127.")
    let isSafe = isThisMachine || listen.certificate != nil || listen.trustedProxies != TrustedProxies()
    doubts =
      isSafe || configuration.profile != .production
      ? [] : ["The service manager's socket listens on \(socket.address) without TLS: set [tls] or trusted_proxies."]
  }
}
