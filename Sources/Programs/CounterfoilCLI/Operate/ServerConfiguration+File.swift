import PaymentPrimitives
package import ServerConfiguration
import TOMLConfiguration

extension ServerConfiguration {
  /// Reads a configuration file, with the files and environment variables that it names.
  ///
  /// - Parameter refusingDoubts: whether values that can be read but cannot work are errors too.
  /// - Throws: `CommandFailure` with all its problems, each with line, column and remedy.
  package static func read(
    _ path: String, flags: [String: String] = [:], refusingDoubts: Bool = false, _ platform: Platform
  ) throws -> ServerConfiguration {
    let language = CommandLineProgram.language(platform)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    var secrets = SecretSources(
      readFile: { path, bytesMax in
        guard let bytes = try platform.files.read(Self.resolve(path, in: folder), bytesMax) else {
          throw CommandFailure("there is no such file.")
        }
        return bytes
      }, environment: platform.environment)
    secrets.isReadableByOthers = { platform.files.isReadableByOthers(Self.resolve($0, in: folder)) }
    let bytes = try bytes(of: path, language, platform)
    do {
      return try read(
        bytes, named: path, in: folder, layers: layers(flags, platform), secrets: secrets,
        now: platform.dependencies.now, refusingDoubts: refusingDoubts)
    } catch {
      let report = error.report(language) { ConfigurationReference.explanation(of: $0, language) }
      throw CommandFailure(report, code: ExitCode.usage)
    }
  }

  private static func bytes(of path: String, _ language: Language, _ platform: Platform) throws -> [UInt8] {
    do {
      if let bytes = try platform.files.read(path, bytesMax) { return bytes }
    } catch let error as any BilingualError {
      throw CommandFailure(error.words(language), code: ExitCode.usage)
    }
    let words = BilingualText(
      "there is no file \(path). Check the path, or write one with `counterfoil init`.",
      "文件 \(path) 不存在。请检查路径，或用 `counterfoil init` 生成。")
    throw CommandFailure(words[language], code: ExitCode.usage)
  }

  private static func layers(_ flags: [String: String], _ platform: Platform) -> SettingLayers {
    var environment: [String: String] = [:]
    for key in layeredKeys {
      let name = SettingLayers.variableName(of: key)
      environment[name] = platform.environment(name)
    }
    return SettingLayers(flags: flags, environment: environment)
  }
}
