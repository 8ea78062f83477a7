import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// A list of the server that a command prints, a row on a line.
struct OperatorList: Sendable {
  /// A call that gives the list.
  let path: String
  /// The member of the answer that has the rows.
  let member: String
  /// Options that are sent as query parameters of the same name, without those of paging.
  var filters: [String] = []
  /// The members of a row that are printed, in order; `a.b` is a member of a member.
  let columns: [String]
  var hasPages = true

  /// The options of lists with pages.
  static let paging = ["after", "limit", "environment"]
  static let pagingUsage = """
      --environment E     otherwise the app's own
      --limit N           1 to \(PaymentEngine.listedMax) (otherwise 50)
      --after POSITION    goes on where a list ended, which names its position
    """

  func print(_ options: Options, _ platform: Platform) async throws -> Int32 {
    let language = CommandLineProgram.language(platform)
    let answers = try await OperatorServer.of(options, platform).answers(
      to: try target(options), isMissing: { _ in false }, language)
    for answer in answers {
      guard !options.has("json") else {
        platform.print(answer.text + "\n")
        continue
      }
      for row in answer[member]?.array ?? [] { platform.print(line(row) + "\n") }
      if let next = answer["next"]?.string {
        platform.printError(BilingualText("There may be more: --after \(next)\n", "可能还有更多：--after \(next)\n")[language])
      }
    }
    return ExitCode.done
  }

  private func target(_ options: Options) throws -> String {
    var query: [String] = []
    for name in filters + (hasPages ? Self.paging : ["environment"]) {
      guard let value = try options.one(name) else { continue }
      query.append((name == "user" ? "userId" : name) + "=" + RequestTarget.encode(value))
    }
    return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  private func line(_ row: JSONValue) -> String { OperatorReport.line(row, columns) }
}
