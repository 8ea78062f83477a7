import Foundation
import Testing

@Suite struct `Wrapping comments` {
  @Test func `leaves code, short comments and texts as they are`() {
    let code = "let a = 12345678901234567890 // comment\n/// Short.\n\n"
    let text = code + "// MARK: a b c d e f g h i j k l\n// | a | b c d e f g h i j |"
    #expect(CommentWrap.wrapped(text, at: 20) == text)
  }

  @Test func `wraps a paragraph that has a line too long, and no other`() {
    let text = "  /// one two three four\n  /// five\n  ///\n  /// six\n  /// seven\n  let a = 1"
    #expect(
      CommentWrap.wrapped(text, at: 20)
        == "  /// one two three\n  /// four five\n  ///\n  /// six\n  /// seven\n  let a = 1")
  }

  @Test func `keeps items of a list apart, with their indentation`() {
    let text = "/// - one two three four\n/// - five"
    #expect(CommentWrap.wrapped(text, at: 20) == "/// - one two three\n///   four\n/// - five")
  }

  @Test func `takes a word that is too long as it is`() {
    #expect(CommentWrap.wrapped("// a https://example.org/long", at: 10) == "// a\n// https://example.org/long")
  }

  /// Not a check: `make format` asks for it.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["COUNTERFOIL_WRITE_LAYOUT"] == "1", "make format asks for it"))
  func `is done to the whole tree when that is asked for`() throws {
    for file in Repository.files where file.language == .swift || file.language == .c {
      let wrapped = CommentWrap.wrapped(file.text)
      guard wrapped != file.text else { continue }
      try Data(wrapped.utf8).write(to: Repository.root.appending(path: file.path))
    }
  }
}
