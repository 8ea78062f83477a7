package import PaymentPrimitives

extension ConfigurationReference {
  /// The text of the page of a language.
  package static func pageText(_ language: Language) -> String {
    ([head[language], tableOfKeys(language)] + sections(language)).joined(separator: "\n")
  }

  private static let head = BilingualText(
    """
    # Configuration

    [中文](configuration.zh-CN.md)

    The configuration is a file in TOML 1.0. `counterfoil init` writes one to start from, `counterfoil config check`
    reads it as the server would, and `counterfoil config explain KEY` says what stands here. A key that nothing reads
    is an error.

    - A path is relative to the folder of the file, unless it begins with a slash.
    - A length of time is a text of a number and a unit: 250ms, 30s, 15m, 24h, 7d.
    - A secret never stands in the file. The file names its place, one of three:

    ```toml
    secret = { file = "user-token.secret" }       # in production only its owner and group may read it
    secret = { credential = "user-token" }        # a credential of systemd, from CREDENTIALS_DIRECTORY
    secret = { environment = "USER_TOKEN" }       # an environment variable
    ```

    Three settings have a flag and an environment variable too. The flag overrules the variable, the variable the file.

    SIGHUP makes a running server read the file again. The last column says which keys take effect then. The log names
    those that need a restart. This page is generated from the sources: `make errors` writes it.

    ## All keys

    """,
    """
    # 配置项

    [English](configuration.md)

    配置是一个 TOML 1.0 文件。`counterfoil init` 生成初始文件，`counterfoil config check` 像服务器一样读取并检查，
    `counterfoil config explain KEY` 显示本页的说明。没有任何功能使用的键会报错。

    - 相对路径以配置文件所在文件夹为准，以斜杠开头的为绝对路径。
    - 时长写作数字加单位的文本：250ms、30s、15m、24h、7d。
    - 机密内容不写在配置文件里，文件只写明其存放位置，有三种：

    ```toml
    secret = { file = "user-token.secret" }       # 正式环境中只有属主和属组可以读取
    secret = { credential = "user-token" }        # systemd 的 credential，取自 CREDENTIALS_DIRECTORY
    secret = { environment = "USER_TOKEN" }       # 环境变量
    ```

    有三项设置还可用命令行参数和环境变量指定。命令行参数优先于环境变量，环境变量优先于文件。

    SIGHUP 让运行中的服务器重新读取文件。最后一列说明哪些键随即生效；需要重启的键会写入日志。
    本页由源码生成：`make errors` 写入。

    <a id="all-keys"></a>

    ## 所有配置项

    """
  )

  private static func tableOfKeys(_ language: Language) -> String {
    let titles = BilingualText("| key | default | after a change |", "| 键 | 默认值 | 更改后 |")
    let rows = keys.map { key in
      "| [\(key.anchor)](#\(key.anchor)) | \(cell(key.standardWords[language])) | \(key.reload.words[language]) |"
    }
    return ([titles[language], "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
  }

  private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

  private static func sections(_ language: Language) -> [String] {
    var tables: [String] = []
    for key in keys where !tables.contains(key.exampleTable) { tables.append(key.exampleTable) }
    return tables.map { table in
      let title =
        table.isEmpty
        ? BilingualText("The top of the file", "文件开头")[language]
        : ConfigurationKey.header(of: table).replacing("\n", with: "")
      // Links lead to the heading of the English page.
      let anchor = table.isEmpty && language == .chinese ? "<a id=\"the-top-of-the-file\"></a>\n\n" : ""
      let own = keys.filter { $0.exampleTable == table }
      return anchor + "## \(title)\n\n" + own.map { entry($0, language) }.joined(separator: "\n")
    }
  }

  private static func entry(_ key: ConfigurationKey, _ language: Language) -> String {
    let facts = key.facts.map { "- \($0.title[language]): \($0.text[language])" }.joined(separator: "\n")
    return """
      <a id="\(key.anchor)"></a>

      ### \(key.anchor)

      \(key.meaning[language])

      \(facts)

      ```toml
      \(key.fragment)
      ```

      """
  }
}
