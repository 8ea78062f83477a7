package import PaymentPrimitives

/// One command of the program: its name, what it is for, and what runs it.
package struct Command: Sendable {
  package let name: String
  /// What it is for, in a line.
  package let summary: BilingualText
  /// What `--help` prints.
  package let usage: String
  /// Runs it on the arguments after its name.
  ///
  /// - Returns: the exit code.
  package let run: @Sendable (_ arguments: [String], _ doors: Platform) async -> Int32

  package init(
    _ name: String, _ summary: BilingualText, usage: String,
    run: @escaping @Sendable (_ arguments: [String], _ doors: Platform) async -> Int32
  ) {
    self.name = name
    self.summary = summary
    self.usage = usage
    self.run = run
  }
}

/// Exit codes that all commands share; each command documents its own.
package enum ExitCode {
  /// It did what it was asked to.
  package static let done: Int32 = 0
  /// What it looked at is not as it should be, or the work failed.
  package static let failed: Int32 = 1
  /// It was called wrongly, or could not read what it was given.
  package static let usage: Int32 = 2
}

/// A command was called wrongly: the message says how, and the command's usage follows it.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, a full sentence.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}

/// A command cannot do its work: the message is printed as it is.
package struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong and what to do, in full sentences.
  package let message: String
  package let code: Int32

  package init(_ message: String, code: Int32 = ExitCode.failed) {
    self.message = message
    self.code = code
  }

  package var description: String { message }
}
