package import PaymentPrimitives

extension Command {
  /// A command whose work throws: usage errors and failures become messages and exit codes.
  package static func of(
    _ name: String, _ summary: BilingualText, usage: String, valued: [String] = [],
    flags: [String] = [], wordsMax: Int = 0, program: String = "counterfoil",
    work: @escaping @Sendable (_ options: Options, _ platform: Platform) async throws -> Int32
  ) -> Command {
    Command(name, summary, usage: usage, options: CommandOptions(valued: valued, flags: flags)) {
      arguments, platform in
      do {
        let options = try Options(arguments, valued: valued, flags: flags)
        if options.has("help") {
          platform.print(usage)
          return ExitCode.done
        }
        if options.words.count > wordsMax { throw UsageError("\(options.words[wordsMax]) is not understood.") }
        return try await work(options, platform)
      } catch let error as UsageError {
        platform.printError("\(program) \(name): \(error.message)\n\n\(usage)")
        return ExitCode.usage
      } catch let failure as CommandFailure {
        platform.printError("\(program) \(name): \(failure.message)\n")
        return failure.code
      } catch let error as any BilingualError {
        platform.printError("\(program) \(name): \(error.words(CommandLineProgram.language(platform)))\n")
        return ExitCode.failed
      } catch {
        platform.printError("\(program) \(name): \(error)\n")
        return ExitCode.failed
      }
    }
  }
}

/// A refusal of any part of the system, for a person at a terminal.
package protocol BilingualError: Error {
  /// What was refused, the particulars, what to do about it, and the stable code to search for.
  func words(_ language: Language) -> String
}

extension CodedError: BilingualError {
  package func words(_ language: Language) -> String {
    [code.meaning[language], details, code.remedy[language], "(\(code.rawValue))"]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }
}
