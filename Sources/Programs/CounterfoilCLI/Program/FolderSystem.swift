/// The functions for folders that commands use. Errors are shown to the user with their own descriptions.
package struct FolderSystem: Sendable {
  /// Gives a folder its final name; an error if there is something of that name.
  package var move: @Sendable (_ path: String, _ final: String) throws -> Void
  /// Removes a folder with the files in it; does nothing if there is none.
  package var remove: @Sendable (_ path: String) throws -> Void
  /// Bytes that may still be written to the disk of a folder.
  package var freeBytes: @Sendable (_ path: String) throws -> Int64
  /// Bytes of a file; nil if there is none.
  package var size: @Sendable (_ path: String) -> Int64?

  package init(
    move: @escaping @Sendable (_ path: String, _ final: String) throws -> Void,
    remove: @escaping @Sendable (_ path: String) throws -> Void,
    freeBytes: @escaping @Sendable (_ path: String) throws -> Int64,
    size: @escaping @Sendable (_ path: String) -> Int64?
  ) {
    self.move = move
    self.remove = remove
    self.freeBytes = freeBytes
    self.size = size
  }

  /// Refuses everything, until the program sets its own.
  package static let refusing = FolderSystem(
    move: { path, _ in throw refusal(path) }, remove: { path in throw refusal(path) },
    freeBytes: { path in throw refusal(path) }, size: { _ in nil })

  private static func refusal(_ path: String) -> CommandFailure {
    CommandFailure("\(path): folders are not changed here.", code: ExitCode.usage)
  }
}
