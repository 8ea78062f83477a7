import Cryptography
import PaymentPrimitives
import ServerConfiguration

/// `counterfoil init`: writes an initial configuration, with new secrets beside it.
enum InitCommand {
  static let command = Command.of(
    "init", BilingualText("write a configuration to start from", "生成初始配置文件"),
    usage: """
      usage: counterfoil init [--directory DIR]

      Writes counterfoil.toml with one app to be filled in, and two fresh secrets beside it: user-token.secret, which
      your backend signs user tokens with, and webhook.secret, which it checks deliveries with. Nothing that exists is
      touched.

        --directory DIR     where to write them (otherwise here)

      Exit codes: 0 written, 1 something of it exists already, 2 wrong usage.

      """,
    valued: ["directory"]
  ) { options, platform in
    let folder = try options.one("directory") ?? "."
    let language = CommandLineProgram.language(platform)
    let files: [(name: String, bytes: [UInt8])] = [
      ("counterfoil.toml", Array(ConfigurationTemplate.text(at: platform.dependencies.now()).utf8)),
      ("user-token.secret", Array(Base64URL.encode(platform.dependencies.randomBytes(48)).utf8)),
      ("webhook.secret", Array(("whsec_" + Base64.encode(platform.dependencies.randomBytes(32))).utf8)),
    ]
    for file in files where try platform.files.read(folder + "/" + file.name, 4 << 20) != nil {
      throw CommandFailure(
        BilingualText(
          "\(folder)/\(file.name) exists already; nothing was written.",
          "\(folder)/\(file.name) 已存在，未写入任何文件。")[language])
    }
    try platform.files.makeFolder(folder)
    for file in files { try platform.files.replace(folder + "/" + file.name, file.bytes) }
    platform.print(
      BilingualText(
        """
        Written to \(folder): counterfoil.toml, user-token.secret, webhook.secret.
        Fill in what is marked in counterfoil.toml, then:
          \(platform.programName) keys create --kind secret --label "my backend"
          \(platform.programName) serve

        """,
        """
        已写入 \(folder)：counterfoil.toml、user-token.secret、webhook.secret。
        请填写 counterfoil.toml 中标出的内容，然后：
          \(platform.programName) keys create --kind secret --label "my backend"
          \(platform.programName) serve

        """)[language])
    return ExitCode.done
  }
}
