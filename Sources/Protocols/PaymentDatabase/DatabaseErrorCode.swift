package import PaymentPrimitives

package enum DatabaseErrorCode: String, ErrorCode {
  /// The outcome of a commit is unknown.
  case outcomeUnknown = "store_outcome_unknown"
  /// The disk is full; nothing was written.
  case full = "store_full"
  /// The database could not be written or read.
  case unavailable = "store_unavailable"
  /// Too many conflicts between transactions; nothing was written.
  case contended = "store_contended"
  /// More writes or reads wait than the database allows; nothing was written.
  case overloaded = "store_overloaded"
  /// A row that a change relies on is missing or different: an error in our code, or a manual change in the database.
  case inconsistent = "store_inconsistent"
  /// A balance would leave the range of 64 bits; nothing was written.
  case balanceOutOfRange = "store_balance_out_of_range"
  case heldByAnother = "store_held_by_another_process"
  /// The file is not a Counterfoil database, or it is damaged.
  case damaged = "store_damaged"
  /// A newer version created the database.
  case newerSchema = "store_newer_schema"
  /// An older version created the database, and it has not been migrated to this version.
  case olderSchema = "store_older_schema"
  /// A database of a simulated profile was opened for production, or the reverse.
  case otherProfile = "store_other_profile"
  /// The address of a database server cannot be used.
  case invalidAddress = "database_invalid_address"
  /// The server knows no such user, password or database.
  case accessDenied = "database_access_denied"
  /// The server could not be verified by TLS.
  case untrusted = "database_untrusted"
  /// The server is too old, or its database has another encoding.
  case unsupportedServer = "database_unsupported_server"
  /// The user of the database may not do this.
  case missingRights = "database_missing_rights"
  /// The server is a standby, or this user can only read.
  case readOnly = "database_read_only"
  /// The server's settings may lose a commit that was answered.
  case notDurable = "database_not_durable"
  /// A pooler stands before the server, and does not hand over the settings of a connection.
  case poolerBetween = "database_pooler_between"
  /// The rows of this file were copied to another database, which serves from now on.
  case moved = "store_moved"
  /// A copy into this schema was interrupted.
  case copyUnfinished = "database_copy_unfinished"
  /// A text has a character that the database cannot keep; nothing was written.
  case unstorableText = "database_unstorable_text"

  package var meaning: BilingualText {
    switch self {
    case .outcomeUnknown:
      BilingualText("It is unknown whether the change was written.", "无法确定此次更改是否已写入。")
    case .full:
      BilingualText("The disk is full; nothing was written.", "磁盘已满，未写入任何内容。")
    case .unavailable:
      BilingualText("The database cannot be read or written.", "数据库无法读取或写入。")
    case .contended:
      BilingualText("Too many changes met at the same rows; nothing was written.", "过多更改同时涉及相同的行，未写入任何内容。")
    case .overloaded:
      BilingualText("More changes wait than the database can take.", "等待处理的更改过多，数据库无法继续接收。")
    case .inconsistent:
      BilingualText(
        "A row that the change builds on is missing or has other contents; nothing was written.",
        "此次更改所依据的数据行缺失或内容不符，未写入任何内容。")
    case .balanceOutOfRange:
      BilingualText(
        "A balance would leave the range of 64-bit numbers; nothing was written.", "余额将超出 64 位整数范围，未写入任何内容。")
    case .heldByAnother:
      BilingualText("Another process holds the database.", "另一个进程正在使用该数据库。")
    case .damaged:
      BilingualText("The file is damaged or not a Counterfoil database.", "文件已损坏，或不是 Counterfoil 数据库。")
    case .newerSchema:
      BilingualText("The database was made by a newer version of Counterfoil.", "该数据库由更新版本的 Counterfoil 创建。")
    case .olderSchema:
      BilingualText(
        "The database was made by an older version of Counterfoil.", "该数据库由较旧版本的 Counterfoil 创建。")
    case .otherProfile:
      BilingualText(
        "Simulated and production data never share a database.", "模拟数据与生产数据不能共用同一个数据库。")
    case .invalidAddress, .accessDenied, .untrusted, .unsupportedServer, .missingRights, .readOnly, .unstorableText,
      .notDurable, .poolerBetween, .moved, .copyUnfinished:
      serverMeaning
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .outcomeUnknown, .contended, .overloaded:
      BilingualText("Send the same request again; it is safe to repeat.", "请重新发送同一请求；重复发送是安全的。")
    case .full:
      BilingualText("Free space on the database's disk, then send the request again.", "请清理数据库所在磁盘的空间，然后重新发送请求。")
    case .unavailable:
      BilingualText(
        "Check the server log for the database error, fix it, then retry.",
        "请在服务器日志中查看数据库的原始报错；修复后重新发送请求。")
    case .inconsistent:
      BilingualText(
        "Run `counterfoil audit` and report what it prints; restore a backup if rows were changed by hand.",
        "请运行 `counterfoil audit` 并反馈其输出；如果数据行曾被手工改动，请恢复备份。")
    case .balanceOutOfRange:
      BilingualText(
        "Look at the product's grant and the user's balance: one of them is far too large.",
        "请检查商品的入账数量和用户的余额：其中之一过大。")
    case .heldByAnother:
      BilingualText("Stop the process that is named, or use its HTTP interface.", "请停止所指明的进程，或改用其 HTTP 接口。")
    case .damaged:
      BilingualText("Restore the latest backup; keep the damaged file for examination.", "请恢复最近的备份，并保留损坏的文件以便检查。")
    case .newerSchema:
      BilingualText("Run the newer version, or restore a backup made before the upgrade.", "请运行新版本，或恢复升级前的备份。")
    case .olderSchema:
      BilingualText(
        "Start `counterfoil serve` once with this version: it brings the database up to date.",
        "请用此版本启动一次 `counterfoil serve`，它会升级该数据库。")
    case .otherProfile:
      BilingualText("Name another database file for this profile.", "请为此配置指定另一个数据库文件。")
    case .invalidAddress, .accessDenied, .untrusted, .unsupportedServer, .missingRights, .readOnly, .unstorableText,
      .notDurable, .poolerBetween, .moved, .copyUnfinished:
      serverRemedy
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .outcomeUnknown, .full, .unavailable, .contended, .overloaded, .heldByAnother, .readOnly: .later
    case .inconsistent, .balanceOutOfRange, .damaged, .newerSchema, .olderSchema, .otherProfile, .invalidAddress,
      .accessDenied, .untrusted, .unsupportedServer, .missingRights, .unstorableText, .notDurable, .moved,
      .poolerBetween, .copyUnfinished:
      .never
    }
  }
}
