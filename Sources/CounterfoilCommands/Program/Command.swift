public import PaymentVocabulary

/// One command of the program: its name, what it is for, and what runs it.
public struct Command: Sendable {
  /// The word that chooses it.
  public let name: String
  /// What it is for, in a line.
  public let summary: BilingualText
  /// What `--help` prints.
  public let usage: String
  /// Runs it on the arguments after its name.
  ///
  /// - Returns: the exit code.
  public let run: @Sendable (_ arguments: [String], _ doors: Doors) async -> Int32

  /// A command.
  public init(
    _ name: String, _ summary: BilingualText, usage: String,
    run: @escaping @Sendable (_ arguments: [String], _ doors: Doors) async -> Int32
  ) {
    self.name = name
    self.summary = summary
    self.usage = usage
    self.run = run
  }
}

/// Exit codes that all commands share; each command documents its own.
public enum ExitCode {
  /// It did what it was asked to.
  public static let done: Int32 = 0
  /// What it looked at is not as it should be, or the work failed.
  public static let failed: Int32 = 1
  /// It was called wrongly, or could not read what it was given.
  public static let usage: Int32 = 2
}

/// A command was called wrongly: the message says how, and the command's usage follows it.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, a full sentence.
  public let message: String

  /// An error with its message.
  public init(_ message: String) { self.message = message }

  public var description: String { message }
}

/// A command cannot do its work: the message is printed as it is.
public struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong and what to do, in full sentences.
  public let message: String
  /// The exit code.
  public let code: Int32

  /// A failure with its message.
  public init(_ message: String, code: Int32 = ExitCode.failed) {
    self.message = message
    self.code = code
  }

  public var description: String { message }
}
