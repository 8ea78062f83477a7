import Diagnostics
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration

/// Checks that the list of erasures is there, and has what the database has.
enum ErasureDoctor {
  private static let check = "erasures"
  private static let page = 500

  static func finding(_ configuration: ServerConfiguration, _ platform: Platform) async -> DoctorFinding {
    if let file = configuration.database.file, platform.folders.size(file) == nil {
      return .notApplicable(check, noneYet)
    }
    let kept: [UserErasure]
    do { kept = try await erasures(configuration, platform) } catch {
      return .notApplicable(
        check,
        BilingualText("The database cannot be read from here: its erasures are not checked.", "无法读取数据库：未检查删除名单。"))
    }
    guard !kept.isEmpty else { return .passed(check, noneYet) }
    guard let path = configuration.erasureList else {
      return .warned(
        check,
        BilingualText(
          "\(kept.count) users were erased, and no list says so outside the database. A restored backup brings them "
            + "back.",
          "已删除 \(kept.count) 个用户，但数据库之外没有名单：恢复备份会使其重新出现。"),
        remedy: BilingualText(
          "Name a file outside the backups: [erasures] list. The next start fills it.",
          "请在 [erasures] list 中指定备份之外的文件，下次启动时会补全。"))
    }
    return listed(kept, at: path, platform)
  }

  private static func listed(_ kept: [UserErasure], at path: String, _ platform: Platform) -> DoctorFinding {
    let remedy = BilingualText(
      "Start the server, which adds what the list lacks. If the database was restored, it erases again.",
      "请启动服务器，它会补全名单；若数据库是恢复的，会再次删除相应用户。")
    do {
      let lines = try FileErasureList.lines(of: path, platform.files)
      let places = Set((lines ?? []).map { [$0.app.text, $0.alias.text] })
      let missing = kept.count { !places.contains([$0.app.text, $0.alias.text]) }
      let known = Set(kept.map { [$0.app.text, $0.alias.text] })
      let unknown = places.count { !known.contains($0) }
      guard missing == 0, unknown == 0 else {
        return .warned(
          check,
          BilingualText(
            "\(path) lacks \(missing) of \(kept.count) erasures, and has \(unknown) that the database does not know.",
            "\(path) 缺少 \(kept.count) 次删除中的 \(missing) 次，另有 \(unknown) 次数据库未记录。"),
          remedy: remedy)
      }
      return .passed(
        check, BilingualText("\(path) has all \(kept.count) erasures.", "\(path) 包含全部 \(kept.count) 次删除。"))
    } catch {
      let why = error as? any BilingualError
      return .warned(
        check,
        BilingualText(
          "The list of erasures cannot be read. \(why?.words(.english) ?? "\(error)")",
          "无法读取删除名单。\(why?.words(.chinese) ?? "\(error)")"),
        remedy: remedy)
    }
  }

  private static let noneYet = BilingualText("No user was erased.", "没有删除过用户。")

  private static func erasures(
    _ configuration: ServerConfiguration, _ platform: Platform
  ) async throws -> [UserErasure] {
    let reader = try await OpenDatabase.reading(configuration, platform)
    do {
      var (all, last): ([UserErasure], UserErasure?) = ([], nil)
      while true {
        let start = last
        let found = try await reader.payments.read { try $0.erasures(after: start, limit: page) }
        all += found.filter { $0.user == nil }
        last = found.last
        guard found.count == page else { break }
      }
      await reader.close()
      return all
    } catch {
      await reader.close()
      throw error
    }
  }
}
