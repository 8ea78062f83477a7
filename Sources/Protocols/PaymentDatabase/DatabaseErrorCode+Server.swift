package import PaymentPrimitives

extension CodedError<DatabaseErrorCode> {
  /// The error for a text with U+0000. PostgreSQL keeps no such text, so no database takes one.
  package static var unstorableText: Self { Self(.unstorableText, "A text contains the character U+0000.") }
}

/// What a database server refuses.
extension DatabaseErrorCode {
  var serverMeaning: BilingualText {
    switch self {
    case .invalidAddress:
      BilingualText("The address of the database cannot be used.", "数据库地址无法使用。")
    case .accessDenied:
      BilingualText(
        "The database server does not accept the user, the password or the database name.",
        "数据库服务器不接受所给的用户、密码或数据库名。")
    case .untrusted:
      BilingualText("The database server could not be verified by TLS.", "无法通过 TLS 验证数据库服务器。")
    case .unsupportedServer:
      BilingualText(
        "The database server is too old, or its database is not encoded in UTF-8.",
        "数据库服务器版本过旧，或数据库编码不是 UTF-8。")
    case .missingRights:
      BilingualText("The user of the database lacks a right.", "数据库用户缺少权限。")
    case .readOnly:
      BilingualText("The database server accepts no writes.", "数据库服务器当前不接受写入。")
    case .notDurable:
      BilingualText(
        "The database server could lose payments that were answered.", "数据库服务器可能丢失已应答的支付。")
    case .poolerBetween:
      BilingualText(
        "A pooler stands before PostgreSQL, and does not hand over the settings of a connection.",
        "PostgreSQL 之前有连接池，且不传递连接设置。")
    case .moved:
      BilingualText(
        "The rows of this file were copied to another database, which serves now.", "该文件的数据已复制到另一个数据库，今后由后者提供服务。")
    case .copyUnfinished:
      BilingualText("A copy into this database was interrupted.", "向该数据库的复制尚未完成。")
    case .unstorableText, .outcomeUnknown, .full, .unavailable, .contended, .overloaded, .inconsistent,
      .balanceOutOfRange, .heldByAnother, .damaged, .newerSchema, .olderSchema, .otherProfile:
      BilingualText(
        "A text contains the character U+0000, which no database keeps; nothing was written.",
        "文本含有任何数据库都不保存的字符 U+0000，未写入任何内容。")
    }
  }

  var serverRemedy: BilingualText {
    switch self {
    case .invalidAddress:
      BilingualText(
        "Write it as `postgresql://user@host/database`, without a password.",
        "请写成 `postgresql://user@host/database` 的形式，其中不含密码。")
    case .accessDenied:
      BilingualText(
        "Check user, password and database name, and the server's `pg_hba.conf`.",
        "请检查用户、密码、数据库名，以及服务器的 `pg_hba.conf`。")
    case .untrusted:
      BilingualText(
        "Give the server a certificate for its host name, and name the authority by `sslrootcert`.",
        "请为服务器配置与其主机名相符的证书，并用 `sslrootcert` 指定签发机构。")
    case .unsupportedServer:
      BilingualText(
        "Use PostgreSQL 15 or later, with a database encoded in UTF8.", "请使用 PostgreSQL 15 或更高版本，数据库编码须为 UTF8。")
    case .missingRights:
      BilingualText(
        "Let the user own the schema, or grant the rights on its tables.", "请让该用户拥有该 schema，或授予其数据表的权限。")
    case .readOnly:
      BilingualText(
        "Name the primary server; after a fail-over wait until a standby was promoted.",
        "请指定主服务器；发生故障切换时，请等待备用服务器升为主服务器。")
    case .notDurable:
      BilingualText(
        "Change these settings of the server, or state in [database] the durability that it has.",
        "请修改服务器的这些设置，或在 [database] 中如实填写 durability。")
    case .poolerBetween:
      BilingualText("Name PostgreSQL itself in the address.", "请在地址中直接指定 PostgreSQL。")
    case .moved:
      BilingualText(
        "Name the other database in the configuration. Keep this file as it is.", "请在配置中指定新的数据库，并保留该文件。")
    case .copyUnfinished:
      BilingualText(
        "Run the same `counterfoil copy` again: it goes on where it ended.", "请再次运行相同的 `counterfoil copy`，它会从中断处继续。")
    case .unstorableText, .outcomeUnknown, .full, .unavailable, .contended, .overloaded, .inconsistent,
      .balanceOutOfRange, .heldByAnother, .damaged, .newerSchema, .olderSchema, .otherProfile:
      BilingualText("Send the text without this character.", "请去掉该字符后重新发送。")
    }
  }
}
