import Foundation

/// The files that the conventions are held against: all text files of the tree, built and downloaded ones left out.
enum Repository {
  /// The root of the package, found from the place of this file.
  static let root = URL(filePath: #filePath, directoryHint: .notDirectory)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every text file, sorted by path.
  static let files: [SourceFile] = paths.sorted().compactMap { path in
    guard let data = try? Data(contentsOf: root.appending(path: path)), !data.contains(0),
      let text = String(data: data, encoding: .utf8)
    else { return nil }
    return SourceFile(path, text)
  }

  static let swift = files.filter { $0.language == .swift }
  static let markdown = files.filter { $0.language == .markdown }

  /// The file of that path.
  static func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

  /// Whether a file or folder of that path exists.
  static func contains(_ path: String) -> Bool {
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    return paths.contains(path) || paths.contains { $0.hasPrefix(path + "/") }
  }

  /// The paths of all files from the root, whatever they hold.
  static let paths: Set<String> = {
    var paths: Set<String> = []
    let prefix = root.path(percentEncoded: false)
    let enumerator = FileManager.default.enumerator(
      at: root, includingPropertiesForKeys: [.isRegularFileKey], options: [])
    while let url = enumerator?.nextObject() as? URL {
      let path = String(url.path(percentEncoded: false).dropFirst(prefix.count))
      let name = url.lastPathComponent
      if leftOut.contains(name) || (leftOutAtRoot.contains(path)) {
        enumerator?.skipDescendants()
      } else if (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true {
        paths.insert(path)
      }
    }
    return paths
  }()

  private static let leftOut: Set<String> = [
    ".git", ".build", ".swiftpm", "__pycache__", ".DS_Store", "Package.resolved",
  ]
  private static let leftOutAtRoot: Set<String> = ["data", "data/"]
}

extension Repository {
  /// Whether the system shows its processes as files.
  static let hasProcessTable = FileManager.default.fileExists(atPath: "/proc/self/stat")

  /// Whether Boost's headers lie where Debian puts them, which is where the bootstrap script looks on Debian.
  static let hasDebianBoost = FileManager.default.fileExists(atPath: "/usr/include/boost/version.hpp")
}
