import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// The list of erasures in a file that only grows: a line of JSON for each.
actor FileErasureList: ErasureList {
  private let path: String
  private let files: FileSystem
  private var opened: (lines: [ListedErasure], append: @Sendable ([UInt8]) throws -> Void)?

  init(_ path: String, _ files: FileSystem) {
    self.path = path
    self.files = files
  }

  func read() throws -> [ListedErasure] { try open().lines }

  func append(_ erasures: [ListedErasure]) throws {
    var file = try open()
    for erasure in erasures {
      try file.append(Array(Self.json(erasure).text.utf8))
      file.lines.append(erasure)
      opened = file
    }
  }

  /// Opened at the first use, and then for as long as the server runs: commands beside it do not need the list.
  private func open() throws -> (lines: [ListedErasure], append: @Sendable ([UInt8]) throws -> Void) {
    if let opened { return opened }
    let (lines, append) = try files.openLog(path)
    let file = (
      try lines.enumerated().map { number, line in try Self.erasure(line, number: number + 1, of: path) }, append
    )
    opened = file
    return file
  }

  private static func json(_ erasure: ListedErasure) -> JSONValue {
    .members([
      ("app", .string(erasure.app.text)), ("alias", .string(erasure.alias.text)),
      ("begunAt", .string(erasure.begunAt.iso8601)),
    ])
  }

  /// The lines of a file that a server may have open; nil if there is none.
  static func lines(of path: String, _ files: FileSystem) throws -> [ListedErasure]? {
    guard let bytes = try files.read(path, bytesMax) else { return nil }
    return try bytes.split(separator: UInt8(ascii: "\n")).enumerated().map { number, line in
      try erasure(Array(line), number: number + 1, of: path)
    }
  }

  /// A hundred thousand erasures take about 9 MB.
  private static let bytesMax = 256 << 20

  private static func erasure(_ line: [UInt8], number: Int, of path: String) throws -> ListedErasure {
    guard let json = try? JSONReader.read(line), let app = json["app"]?.string, let alias = json["alias"]?.string,
      let begunAt = (json["begunAt"]?.string).flatMap({ Timestamp(iso8601: $0) })
    else { throw CommandFailure("\(path): line \(number) is not an erasure.") }
    return ListedErasure(app: AppIdentifier(app), alias: UserIdentifier(alias), begunAt: begunAt)
  }
}
