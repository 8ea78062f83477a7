import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil config explain`: says what a key of the configuration means.
enum ConfigExplainCommand {
  static let command = Command.of(
    "config explain", BilingualText("say what a key of the configuration means", "说明某个配置项的含义"),
    usage: """
      usage: counterfoil config explain [KEY] [--json]

      Says what a key of the configuration means, which values it takes, what holds without it, whether a reload applies
      it, and shows an example. KEY is the key with the tables above it: port, app.wechat_pay.mchid. Brackets may stand
      in it: app[0].wechat_pay.mchid. The last part alone is enough where only one key has it. Without KEY it lists all
      keys.

        --json              one JSON object a line

      Exit codes: 0 explained, 2 there is no such key, or wrong usage.

      """,
    wordsMax: 1
  ) { options, platform in
    let language = CommandLineProgram.language(platform)
    let isJSON = options.has("json")
    guard let wanted = options.words.first else {
      platform.print(
        isJSON ? ConfigurationReference.keys.map { json($0, language).text + "\n" }.joined() : list(language))
      return ExitCode.done
    }
    let found = matches(wanted)
    guard let key = found.first, found.count == 1 else {
      throw CommandFailure(refusal(wanted, found)[language], code: ExitCode.usage)
    }
    platform.print(isJSON ? json(key, language).text + "\n" : text(key, language))
    return ExitCode.done
  }

  /// The key of that path; otherwise all whose path ends so.
  private static func matches(_ wanted: String) -> [ConfigurationKey] {
    // `[app.wechat_pay]` and `[[app.product]]`, as the file writes them.
    let trimmed = wanted.hasPrefix("[") ? String(wanted.drop { $0 == "[" }.prefix { $0 != "]" }) : wanted
    if let key = ConfigurationReference.key(at: trimmed) { return [key] }
    return ConfigurationReference.keys.filter { $0.anchor.hasSuffix("." + trimmed) }
  }

  private static func refusal(_ wanted: String, _ found: [ConfigurationKey]) -> BilingualText {
    guard found.isEmpty else {
      let names = found.map(\.anchor).joined(separator: ", ")
      return BilingualText(
        "several keys end with \(wanted): \(names). Name one of them in full.", "有多个键以 \(wanted) 结尾：\(names)。请写出完整的键。")
    }
    let near = nearest(to: wanted)
    guard !near.isEmpty else {
      return BilingualText(
        "there is no key \(wanted). `counterfoil config explain` lists all keys.",
        "没有键 \(wanted)。`counterfoil config explain` 列出所有键。")
    }
    let names = near.joined(separator: ", ")
    return BilingualText(
      "there is no key \(wanted). The nearest: \(names). `counterfoil config explain` lists all keys.",
      "没有键 \(wanted)。最接近的有：\(names)。`counterfoil config explain` 列出所有键。")
  }

  /// Paths are long, so their last parts are compared too. At most three, the nearest first.
  private static func nearest(to wanted: String) -> [String] {
    let wanted = ConfigurationReference.withoutBrackets(wanted)
    let last = wanted.split(separator: ".").last.map(String.init) ?? wanted
    let distances = ConfigurationReference.keys.map { key -> (name: String, distance: Int) in
      let whole = EditDistance.between(key.anchor, wanted)
      // A misspelt last part counts more than a path that is missing.
      return (key.anchor, min(whole, EditDistance.between(key.name, last) + (whole > 0 ? 1 : 0)))
    }
    return distances.filter { $0.distance <= max(2, last.count / 2) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
  }

  // MARK: texts

  private static func list(_ language: Language) -> String {
    let width = ConfigurationReference.keys.map(\.anchor.count).max() ?? 0
    return ConfigurationReference.keys.map { key in
      let padding = String(repeating: " ", count: width - key.anchor.count + 2)
      return key.anchor + padding + key.standardWords[language] + "\n"
    }.joined()
  }

  private static func text(_ key: ConfigurationKey, _ language: Language) -> String {
    let inside = ConfigurationReference.keys(in: key.path).map(\.name)
    let keys = BilingualText("Keys", "键")
    let lines =
      [key.anchor, "  " + key.meaning[language], ""]
      + key.facts.map { "  \($0.title[language]): \($0.text[language])" }
      + (inside.isEmpty ? [] : ["  \(keys[language]): \(inside.joined(separator: ", "))"]) + [""]
      + key.fragment.split(separator: "\n").map { "    " + $0 }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func json(_ key: ConfigurationKey, _ language: Language) -> JSONValue {
    let standard: (word: String, value: String?) =
      switch key.standard {
      case .required: ("required", nil)
      case .none: ("none", nil)
      case .value(let text): ("value", text)
      case .depends(let words): ("depends", words[language])
      }
    return .members([
      ("key", .string(key.path)), ("meaning", .string(key.meaning[language])), ("type", .string(key.kind[language])),
      ("default", .members([("kind", .string(standard.word)), ("value", standard.value.map(JSONValue.string))])),
      ("reload", .string(key.reload.rawValue)), ("secret", .bool(key.isSecret)),
      ("flag", key.overrules.map { .string($0.flag) }), ("variable", key.overrules.map { .string($0.variable) }),
      ("simulatedOnly", .bool(key.isSimulatedOnly)), ("example", .string(key.fragment)),
      ("page", ConfigurationReference.link(to: key.path, language).map(JSONValue.string)),
    ])
  }
}
