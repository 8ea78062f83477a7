package import PaymentPrimitives

/// One command of the program: its name, its purpose, and its function.
package struct Command: Sendable {
  /// One word, or two: a subject and what is done with it.
  package let name: String
  /// The purpose, in one line.
  package let summary: BilingualText
  /// The text for `--help`.
  package let usage: String
  /// The options that it accepts.
  package let options: CommandOptions
  /// Commands that this one finds by its first argument, with their whole names.
  package let parts: [Command]
  /// Runs the command with the arguments after its name.
  ///
  /// - Returns: the exit code.
  package let run: @Sendable (_ arguments: [String], _ platform: Platform) async -> Int32

  var words: [String] { name.split(separator: " ").map(String.init) }

  package init(
    _ name: String, _ summary: BilingualText, usage: String, options: CommandOptions, parts: [Command] = [],
    run: @escaping @Sendable (_ arguments: [String], _ platform: Platform) async -> Int32
  ) {
    self.name = name
    self.summary = summary
    self.usage = usage
    self.options = options
    self.parts = parts
    self.run = run
  }
}

/// The names of a command's options, without their dashes. Each command also has `help` and `json`.
package struct CommandOptions: Hashable, Sendable {
  /// The options that take a value.
  package var valued: [String]
  package var flags: [String]

  package init(valued: [String] = [], flags: [String] = []) {
    self.valued = valued
    self.flags = flags
  }

  package func accepts(_ name: String) -> Bool {
    valued.contains(name) || flags.contains(name) || name == "help" || name == "json"
  }
}

/// Exit codes that all commands share; each command documents its own.
package enum ExitCode {
  /// The command did its work.
  package static let done: Int32 = 0
  /// The checked item is not as it should be, or the work failed.
  package static let failed: Int32 = 1
  /// The arguments were wrong, or the input could not be read.
  package static let usage: Int32 = 2
}

/// An error in the arguments of a command; the command's usage follows the message.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error, as a full sentence.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}

/// A command cannot do its work; the message is printed unchanged.
package struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error and what to do, in full sentences.
  package let message: String
  package let code: Int32

  package init(_ message: String, code: Int32 = ExitCode.failed) {
    self.message = message
    self.code = code
  }

  package var description: String { message }
}
