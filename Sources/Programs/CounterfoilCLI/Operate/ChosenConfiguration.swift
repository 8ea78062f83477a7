import PaymentDatabase
import PaymentPrimitives
import ServerConfiguration

/// The configuration that commands beside the server work with: a file, or that of `counterfoil-lab run`.
enum ChosenConfiguration {
  static func of(_ options: Options, _ platform: Platform) async throws -> ServerConfiguration {
    let flags = try ServerFlags.layers(options)
    if try options.one("data") == nil, let path = try ServerFlags.configurationPath(options, platform) {
      return try ServerConfiguration.read(path, flags: flags, platform)
    }
    let folder = try options.one("data") ?? SimulatedProfile.folder
    guard var configuration = try SimulatedProfile.existing(in: folder, platform) else {
      let words = BilingualText(
        """
        there is no configuration, and no simulated server has run in \(folder). Three ways on:
          --config FILE         names the configuration of a server
          counterfoil init      writes counterfoil.toml to start from
          counterfoil-lab run   runs a ready-made shop with a simulated App Store, in ./data
        """,
        """
        没有配置文件，\(folder) 中也没有运行过模拟服务器。有三种办法：
          --config FILE         指定服务器的配置文件
          counterfoil init      生成可供修改的 counterfoil.toml
          counterfoil-lab run   运行带有模拟 App Store 的现成商店，数据在 ./data
        """)
      throw CommandFailure(words[CommandLineProgram.language(platform)], code: ExitCode.usage)
    }
    if let database = flags["database"] { configuration.database = try DatabaseLocation(naming: database) }
    return configuration
  }
}
