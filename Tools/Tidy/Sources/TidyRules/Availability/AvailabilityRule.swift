/// Every symbol of the platform that a client source uses stands in a table with the versions that brought it, and is
/// used only where the systems have it. The compiler on Linux knows of no availability, so nothing else here notices.
package enum AvailabilityRule {
  /// - Parameters:
  ///   - files: the sources of everything that an app can compile of ours.
  ///   - platforms: the oldest version of each platform, by its name in the manifest.
  package static func findings(
    in files: [SourceFile], platforms: [String: Int], _ table: AvailabilityTable
  ) async -> [Finding] {
    let own = OwnNames(files.map(\.text))
    let floor = floor(platforms)
    let modules = Set(files.compactMap(\.target))
    let uses = await files.concurrentMap { ($0, SymbolReader.uses(in: $0.text, own, modules: modules, floor: floor)) }
    let findings = uses.flatMap { file, uses in uses.flatMap { problems(with: $0, in: file, table) } }
    let used = Set(uses.flatMap { $1.map(\.symbol) })
    let idle = table.rows.values.filter { !used.contains($0.symbol) }.map {
      Finding(AvailabilityTable.path, $0.line, "no client source uses \($0.symbol)")
    }
    return table.problems + idle + findings
  }

  /// The manifest's macOS is the server's; the client's own package has 12.
  private static func floor(_ platforms: [String: Int]) -> Reach {
    var versions: [System: Version] = [.macOS: Version(12)]
    for system in System.allCases where system != .macOS {
      versions[system] = platforms[system.rawValue.lowercased()].map { Version($0) }
    }
    return Reach(versions: versions)
  }

  private static func problems(with use: SymbolUse, in file: SourceFile, _ table: AvailabilityTable) -> [Finding] {
    guard let row = table.rows[use.symbol] else {
      return [Finding(file, use.line, "\(use.symbol) is not in \(AvailabilityTable.path): since when is it there?")]
    }
    let late = System.allCases.filter { system in
      guard let version = use.reach.versions[system] else { return false }
      return row.since[system].map { version < $0 } ?? true
    }
    if late.isEmpty { return [] }
    let places = late.map { system in
      row.since[system].map { "\(system.rawValue) \($0)" } ?? "no \(system.rawValue)"
    }
    return [
      Finding(file, use.line, "\(use.symbol) came with \(places.joined(separator: ", ")); the code runs on older ones")
    ]
  }
}
