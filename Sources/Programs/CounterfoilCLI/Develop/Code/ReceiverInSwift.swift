enum ReceiverInSwift {
  /// What `counterfoil receiver code` prints for Swift.
  static let text = #"""
    // A receiver of Counterfoil's deliveries in Swift on Linux, with Foundation. It passes `counterfoil receiver test`.
    // Start it with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces while one is replaced).
    // Use your web framework, swift-crypto and your database: the id in a unique column, in the transaction that books.
    import Foundation
    import Glibc

    // HMAC-SHA256 of OpenSSL, without a package; with swift-crypto it is HMAC<SHA256>.authenticationCode(for:using:).
    typealias HMACFunction = @convention(c) (
      OpaquePointer?, UnsafeRawPointer, Int32, UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>,
      UnsafeMutablePointer<UInt32>
    ) -> UnsafeMutablePointer<UInt8>?
    typealias DigestFunction = @convention(c) () -> OpaquePointer?
    let library = dlopen("libcrypto.so.3", RTLD_NOW)
    let hmac = unsafeBitCast(dlsym(library, "HMAC"), to: HMACFunction.self)
    let sha256 = unsafeBitCast(dlsym(library, "EVP_sha256"), to: DigestFunction.self)

    let environment = ProcessInfo.processInfo.environment
    let secrets = environment["COUNTERFOIL_WEBHOOK_SECRETS"]!.split(separator: " ").map {
      Data(base64Encoded: String($0.dropFirst("whsec_".count)))!
    }
    let booked = environment["COUNTERFOIL_ENVIRONMENT"] ?? "production"
    let path = environment["BOOK"] ?? "deliveries.jsonl"
    struct Key: Hashable { let store, transaction, user: String }
    var ids: Set<String> = []
    var holdings: [Key: (sequence: Int, left: Int)] = [:]

    func apply(_ delivery: [String: Any]) {
      guard let id = delivery["id"] as? String, let user = delivery["userId"] as? String,
        let sequence = delivery["sequence"] as? Int, let store = delivery["store"] as? String,
        let transaction = delivery["transactionId"] as? String
      else { return }
      ids.insert(id)
      let given = (delivery["units"] as? [String: Any])?["amount"] as? Int
      let isCreated = delivery["type"] as? String == "grant.created"
      let left = isCreated ? given : given.flatMap { _ in delivery["inForce"] as? Int }
      let key = Key(store: store, transaction: transaction, user: user)
      // The highest sequence counts, whatever comes last.
      if sequence > holdings[key]?.sequence ?? 0 { holdings[key] = (sequence, left ?? 0) }
    }

    func isSigned(_ message: [UInt8], _ theirs: String) -> Bool {
      var isGood = false
      for secret in secrets {
        var (code, count) = ([UInt8](repeating: 0, count: 64), UInt32(0))
        _ = secret.withUnsafeBytes { key in
          hmac(sha256(), key.baseAddress!, Int32(key.count), message, message.count, &code, &count)
        }
        let mine = Array(("v1," + Data(code.prefix(Int(count))).base64EncodedString()).utf8)
        for one in theirs.split(separator: " ").map({ Array($0.utf8) }) where one.count == mine.count {
          isGood = zip(mine, one).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 || isGood // in constant time
        }
      }
      return isGood
    }

    func receive(_ fields: [String: String], _ body: Data) -> Int {
      let (id, at) = (fields["webhook-id"] ?? "", fields["webhook-timestamp"] ?? "")
      guard let sent = Int(at), abs(time(nil) - sent) <= 300 else { return 401 }
      // The bytes as they came.
      guard isSigned(Array("\(id).\(at).".utf8) + body, fields["webhook-signature"] ?? "") else { return 401 }
      guard let delivery = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
        delivery["id"] as? String == id
      else { return 400 }
      // Not our money, or news of a later version.
      guard delivery["environment"] as? String == booked, (delivery["type"] as? String)?.hasPrefix("grant.") == true
      else { return 204 }
      guard !ids.contains(id) else { return 204 }
      var line = body.filter { $0 != 10 }
      line.append(10)
      let written = line.withUnsafeBytes { write(book, $0.baseAddress!, $0.count) }
      guard written == line.count, fsync(book) == 0 else { return 500 }
      apply(delivery) // what is answered survives a power cut
      return 204
    }

    // A small HTTP server: one request at a time, so that nothing runs between the look at the ids and the writing.
    func serve(_ client: Int32) {
      var (request, buffer) = (Data(), [UInt8](repeating: 0, count: 65536))
      func more() -> Bool {
        let count = recv(client, &buffer, buffer.count, 0)
        if count > 0 { request.append(contentsOf: buffer.prefix(count)) }
        return count > 0
      }
      var end = request.range(of: Data("\r\n\r\n".utf8))
      while end == nil, request.count < 65536, more() { end = request.range(of: Data("\r\n\r\n".utf8)) }
      guard let end else { return }
      let lines = String(decoding: request[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let fields = Dictionary(lines.dropFirst().compactMap { line -> (String, String)? in
        let parts = line.split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)) : nil
      }) { first, _ in first }
      var (status, text) = (200, "")
      if lines[0].hasPrefix("GET") { // only for the test: the units of a user
        let target = URLComponents(string: String(lines[0].split(separator: " ")[1]))
        let user = target?.queryItems?.first { $0.name == "userId" }?.value
        text = "\(holdings.reduce(0) { $0 + ($1.key.user == user ? $1.value.left : 0) })"
      } else {
        let length = Int(fields["content-length"] ?? "") ?? 0
        while length <= 1 << 20, request.count < end.upperBound + length, more() {}
        status = length > 1 << 20 ? 413 : receive(fields, request[end.upperBound...])
      }
      let head = "HTTP/1.1 \(status) -\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
      let answer = Array((head + text).utf8)
      _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
    }

    for line in (FileManager.default.contents(atPath: path) ?? Data()).split(separator: 10) {
      // A line that was cut off was never acknowledged.
      if let delivery = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] { apply(delivery) }
    }
    let book = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    _ = write(book, "\n", 1)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (yes, address) = (Int32(1), sockaddr_in())
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), inet_addr("127.0.0.1"))
    address.sin_port = UInt16(environment["PORT"]!)!.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafePointer(to: &address) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
    }
    guard isBound == 0, listen(listener, 100) == 0 else { exit(1) }
    while true {
      let client = accept(listener, nil, nil)
      serve(client)
      close(client)
    }

    """#
}
