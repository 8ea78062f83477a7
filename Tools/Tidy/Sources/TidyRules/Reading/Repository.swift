package import Foundation

/// All text files of the repository, without what was built or downloaded.
package struct Repository: Sendable {
  package let root: URL
  /// Every text file, sorted by path.
  package let files: [SourceFile]
  /// The paths of all files from the root, whatever they contain.
  let paths: Set<String>

  var swift: [SourceFile] { files.filter { $0.language == .swift } }
  var markdown: [SourceFile] { files.filter { $0.language == .markdown } }
  var tests: [SourceFile] { files.filter { $0.isIn("Tests") } }

  func file(_ path: String) throws -> SourceFile {
    guard let file = files.first(where: { $0.path == path }) else {
      throw Toolchain.Failure(description: "\(path) is missing")
    }
    return file
  }

  /// Writes a file, and returns its path if it changes.
  package func write(_ text: String, to path: String) throws -> String? {
    guard files.first(where: { $0.path == path })?.text != text else { return nil }
    try Data(text.utf8).write(to: root.appending(path: path))
    return path
  }

  /// - Parameter isParsed: whether the rules are to read its sources.
  package static func read(at root: URL, isParsed: Bool = true) async -> Repository {
    let paths = paths(in: root)
    let files = await paths.sorted().concurrentMap { path -> SourceFile? in
      guard let data = try? Data(contentsOf: root.appending(path: path)), !data.contains(0),
        let text = String(data: data, encoding: .utf8)
      else { return nil }
      return SourceFile(path, text, isParsed: isParsed)
    }
    return Repository(root: root, files: files.compactMap { $0 }, paths: paths)
  }

  private static func paths(in root: URL) -> Set<String> {
    var paths: Set<String> = []
    let prefix = root.path(percentEncoded: false)
    let enumerator = FileManager.default.enumerator(
      at: root, includingPropertiesForKeys: [.isRegularFileKey], options: [])
    while let url = enumerator?.nextObject() as? URL {
      let path = String(url.path(percentEncoded: false).dropFirst(prefix.count))
      if leftOut.contains(url.lastPathComponent) || ["data", "data/"].contains(path) {
        enumerator?.skipDescendants()
      } else if (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true {
        paths.insert(path)
      }
    }
    return paths
  }

  private static let leftOut: Set<String> = [
    ".git", ".build", ".swiftpm", "__pycache__", ".DS_Store", "Package.resolved",
  ]
}

extension Array where Element: Sendable {
  /// Maps on all processors; the order stays.
  package func concurrentMap<Value: Sendable>(_ transform: @escaping @Sendable (Element) -> Value) async -> [Value] {
    // Each part has files of all folders, so that the parts take about the same time.
    let parts = 16
    return await withTaskGroup(of: [(Int, Value)].self) { group in
      for part in 0..<parts {
        group.addTask { stride(from: part, to: count, by: parts).map { ($0, transform(self[$0])) } }
      }
      return await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
