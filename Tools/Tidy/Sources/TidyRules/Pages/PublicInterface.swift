import Foundation

/// The public interface of a built module, as the toolchain prints it, without comments. Each module that an app
/// compiles against has a page, so that a review shows each change.
package enum PublicInterface {
  static let folder = "docs/reference/api"

  static func path(of module: String) -> String { "\(folder)/\(module).txt" }

  /// The modules that apps compile against.
  static func modules(of products: [ClientProduct]) -> [String] {
    Set(products.flatMap(\.closure)).sorted()
  }

  static func page(of module: String, at root: URL) throws -> String {
    let interface = try Toolchain.output(
      "swift-synthesize-interface",
      ["-module-name", module, "-target", try Toolchain.target()] + BuiltModules.arguments(at: root))
    return page(of: module, interface)
  }

  /// The page for an interface that the toolchain printed.
  package static func page(of module: String, _ interface: String) -> String {
    let lines = interface.split(separator: "\n").filter { line in
      let text = line.drop { $0 == " " }
      return !text.isEmpty && !text.hasPrefix("//")
    }
    // An empty line before each declaration of the first level and its attributes.
    let spaced = lines.enumerated().flatMap { index, line -> [Substring] in
      let isFirst = line.first != " " && line != "}" && !line.hasPrefix("import ")
      let before = index > 0 ? lines[index - 1] : "}"
      return isFirst && !before.hasPrefix("@") ? ["", line] : [line]
    }
    let head = """
      The public interface of the module \(module), as built on Linux: `make api` writes this file.
      A change here is a change for every app. Not covered: declarations behind a condition for other platforms,
      such as those for Objective-C.

      """
    return head + "\n" + spaced.drop { $0.isEmpty }.joined(separator: "\n") + "\n"
  }
}

/// The modules that `swift build` left.
enum BuiltModules {
  static func arguments(at root: URL) throws -> [String] {
    let folder = root.appending(path: ".build/debug/Modules").path
    guard FileManager.default.fileExists(atPath: folder) else {
      throw Toolchain.Failure(description: "there is no \(folder); first: swift build")
    }
    return ["-I", folder]
  }
}
