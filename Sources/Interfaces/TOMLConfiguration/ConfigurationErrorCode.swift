package import PaymentPrimitives

package enum ConfigurationErrorCode: String, ErrorCode {
  /// The text has more bytes than allowed.
  case tooLarge = "configuration_too_large"
  case tooDeep = "configuration_too_deep"
  /// The text has more keys and values than allowed.
  case tooManyValues = "configuration_too_many_values"
  case syntax = "configuration_syntax"
  case unknownKey = "configuration_unknown_key"
  /// A required key is missing.
  case missingKey = "configuration_missing_key"
  /// A value has another type than its setting.
  case wrongType = "configuration_wrong_type"
  /// A number, length or text size is outside the setting's range.
  case outOfRange = "configuration_out_of_range"
  /// The value is not one of the words that the setting allows.
  case notOneOf = "configuration_not_one_of"
  /// The value has the right type and the wrong form.
  case malformed = "configuration_malformed"
  /// A date and time without an offset from UTC, so that its moment is unknown.
  case withoutOffset = "configuration_without_offset"
  case contradiction = "configuration_contradiction"
  /// A setting is well-formed, and cannot work.
  case cannotWork = "configuration_cannot_work"
  /// A template's placeholder in place of a real value.
  case placeholder = "configuration_placeholder"
  /// A file that is no secret and could not be read.
  case fileUnreadable = "configuration_file_unreadable"
  /// A secret written into the configuration itself.
  case secretInline = "configuration_secret_inline"
  /// A secret's file or environment variable that could not be read.
  case secretUnreadable = "configuration_secret_unreadable"
  /// A secret's file that other users of the machine can read.
  case secretExposed = "configuration_secret_exposed"
  /// A secret's file or environment variable that is empty.
  case secretEmpty = "configuration_secret_empty"

  package var meaning: BilingualText {
    switch self {
    case .tooLarge: .init("The configuration is too large to be read.", "配置过大，无法读取。")
    case .tooDeep: .init("The configuration is nested too deeply.", "配置嵌套层级过深。")
    case .tooManyValues: .init("The configuration has too many keys and values.", "配置中的键和值过多。")
    case .syntax: .init("The configuration is not valid TOML.", "配置不是有效的 TOML。")
    case .unknownKey: .init("Nothing reads this key.", "没有任何功能使用这个键。")
    case .missingKey: .init("A setting that is needed is missing.", "缺少必需的设置项。")
    case .wrongType: .init("The setting has another type.", "该设置项的类型不对。")
    case .outOfRange: .init("The value is outside of what the setting allows.", "该值超出设置项允许的范围。")
    case .notOneOf: .init("The value is none of the allowed words.", "该值不在允许的取值之中。")
    case .malformed: .init("The value does not have the form that the setting needs.", "该值的格式不符合设置项的要求。")
    case .withoutOffset:
      .init("The date or time has no offset, so that no moment is meant.", "该日期或时间没有时区偏移，无法确定具体时刻。")
    case .contradiction: .init("Settings contradict each other.", "设置项互相矛盾。")
    case .cannotWork: .init("The setting cannot do what it is for.", "该设置项无法起到应有的作用。")
    case .placeholder: .init("The value was never filled in.", "该值尚未填写。")
    case .fileUnreadable: .init("A file that the configuration names could not be read.", "无法读取配置指定的文件。")
    case .secretInline: .init("A secret stands in the configuration itself.", "机密内容直接写在了配置里。")
    case .secretUnreadable: .init("A secret could not be read from where the configuration says.", "无法从配置指定的位置读取机密内容。")
    case .secretExposed: .init("Every user of this machine can read a secret.", "本机所有用户都能读取某项机密内容。")
    case .secretEmpty: .init("A secret is empty.", "机密内容为空。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .tooLarge, .tooDeep, .tooManyValues:
      .init("Check that this is the right file; otherwise make it smaller.", "请确认文件是否正确；若正确，请精简内容。")
    case .syntax: .init("Correct the text at the named line and column.", "请修正所指行列处的内容。")
    case .unknownKey:
      .init(
        "Correct the key's spelling or its table, or remove it. `counterfoil config explain` lists all keys.",
        "请更正键的拼写或所属的表，或将其删除。`counterfoil config explain` 列出所有键。")
    case .missingKey: .init("Add the setting.", "请补上该设置项。")
    case .wrongType: .init("Write a value of the type that is named.", "请填写所指类型的值。")
    case .outOfRange: .init("Write a value within the range that is named.", "请填写所指范围内的值。")
    case .notOneOf: .init("Write one of the words that are named.", "请填写所列取值之一。")
    case .malformed: .init("Write the value in the form that is named.", "请按所指格式填写。")
    case .withoutOffset:
      .init(
        "Write the offset from UTC too: 2026-11-20T08:00:00Z or 2026-11-20T16:00:00+08:00.",
        "请同时写明与 UTC 的偏移：2026-11-20T08:00:00Z 或 2026-11-20T16:00:00+08:00。")
    case .contradiction: .init("Change one of the settings that are named.", "请修改所指设置项之一。")
    case .cannotWork: .init("Change the setting as described.", "请按所述修改该设置项。")
    case .placeholder: .init("Write your own value, or remove the setting.", "请填写自己的值，或删除该设置项。")
    case .fileUnreadable:
      .init(
        "Check the path, and that this process may read the file. Paths are relative to the configuration's folder.",
        "请检查路径，并确认本进程有权读取该文件。相对路径以配置文件所在文件夹为准。")
    case .secretInline:
      .init(
        #"Put the secret into a file, a credential or an environment variable and name that: "#
          + #"{ file = "/run/secrets/key" }, { credential = "name" } or { environment = "NAME" }. "#
          + "What stood in the configuration counts as disclosed: replace it.",
        "请将机密内容放入文件、credential 或环境变量并在配置中引用：{ file = \"/run/secrets/key\" }、"
          + "{ credential = \"name\" } 或 { environment = \"NAME\" }。"
          + "已写入配置的内容视为已泄露，请更换。")
    case .secretUnreadable:
      .init(
        "Check that the file, credential or variable exists and that this process may read it.",
        "请确认该文件、credential 或环境变量存在，且本进程有权读取。")
    case .secretExposed:
      .init(
        "Run the command that is named, and replace the secret if another user may have read it.",
        "请运行所列命令；如果其他用户可能已读取，请更换该机密内容。")
    case .secretEmpty: .init("Put the secret where the configuration says.", "请在配置指定的位置写入机密内容。")
    }
  }

  package var retry: RetryAdvice { .never }
}
