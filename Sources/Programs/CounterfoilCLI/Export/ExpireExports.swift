import PaymentPrimitives
import PaymentServer
import StrictJSON

/// Removes exports whose time is over, and those that have users who were erased since.
struct ExpireExports {
  let folder: String
  let platform: Platform

  /// A process that still writes an export has begun it later.
  private static let unfinishedFor = TimeSpan.days(1)

  private enum Reason: String {
    case timeIsOver
    case beforeErasure
    case neverCompleted

    var words: BilingualText {
      switch self {
      case .timeIsOver: BilingualText("its time is over", "保留期已过")
      case .beforeErasure: BilingualText("users were erased since", "此后有用户被删除")
      case .neverCompleted: BilingualText("it was never completed", "从未完成")
      }
    }
  }

  func run(_ options: Options) async throws -> Int32 {
    let database = try await ReportedDatabase.reading(options, platform)
    let language = CommandLineProgram.language(platform)
    // The folder itself, or each export in it.
    for path in [folder] + (try platform.files.names(folder).map { folder + "/" + $0 }) {
      let export = ExportFolder(at: path, platform)
      guard let reason = try await reason(to: export, database) else { continue }
      let others = try export.removeAll()
      // Other files in the folder are not ours to remove.
      if others.isEmpty { try platform.folders.remove(path) }
      platform.print(
        options.has("json")
          ? JSONValue.members([("removed", .string(path)), ("because", .string(reason.rawValue))]).text + "\n"
          : removed(path, reason)[language])
    }
    return ExitCode.done
  }

  private func removed(_ path: String, _ reason: Reason) -> BilingualText {
    BilingualText(
      "\(path): removed, \(reason.words.english).\n", "\(path)：已删除，\(reason.words.chinese)。\n")
  }

  /// Why an export is removed; nil if it stays, or if there is none.
  private func reason(to export: ExportFolder, _ database: ReportedDatabase) async throws -> Reason? {
    let now = platform.dependencies.now()
    // Other files and folders may be there, and need not be readable.
    if let manifest = try? export.manifest() {
      if manifest.keptUntil <= now { return .timeIsOver }
      do {
        try await manifest.requireErasures(of: database.reader)
        return nil
      } catch let error as CodedError<ExportErrorCode> where error.code == .beforeErasure {
        return .beforeErasure
      }
    }
    guard let begun = try? export.unfinished() else { return nil }
    return begun.begunAt + Self.unfinishedFor <= now ? .neverCompleted : nil
  }
}
