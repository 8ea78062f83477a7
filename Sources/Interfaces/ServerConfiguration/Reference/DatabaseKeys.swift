import PaymentPrimitives
import TOMLConfiguration

/// The key `database` and the keys of `[database]`.
enum DatabaseKeys {
  static let short = ConfigurationKey(
    "database", .text(bytes: 1...4096), standard: .value(#""counterfoil.db""#), reload: .restart,
    example: #"database = "/var/lib/counterfoil/counterfoil.db""#,
    meaning: BilingualText(
      "The file of the SQLite database. The server makes it if it does not exist; its folder must exist. Instead of "
        + "this line, the table [database] names a PostgreSQL server.",
      "SQLite 数据库文件。不存在时由服务器创建；其所在文件夹必须存在。也可改用 [database] 表指定 PostgreSQL 服务器。"))

  static let table = [
    ConfigurationKey(
      "database.url", .text(bytes: 1...4096), standard: .required, reload: .restart,
      example: #"url = "postgresql://counterfoil@db.example.com/shop?sslmode=verify-full""#,
      meaning: BilingualText(
        "The address of the database on PostgreSQL 15 or later, without a password. Several hosts may stand there: "
          + "`host1,host2`; the one that can be written is used. In production a host other than this machine needs "
          + "`sslmode=verify-full`.",
        "PostgreSQL 15 或更高版本上的数据库地址，其中不含密码。可写多台主机 `host1,host2`，使用其中可写的一台。"
          + "正式环境中，本机以外的主机需要 `sslmode=verify-full`。")),
    ConfigurationKey(
      "database.password", .secret, reload: .restart, example: #"password = { file = "database.secret" }"#,
      meaning: BilingualText(
        "The place of the password of the database's user. A server may also authenticate by certificate or socket.",
        "数据库用户密码的存放位置。也可以使用证书或本机套接字认证。")),
    ConfigurationKey(
      "database.schema", .text(bytes: 1...63), standard: .value(#""counterfoil""#), reload: .restart,
      example: #"schema = "counterfoil""#,
      meaning: BilingualText(
        "The schema with Counterfoil's tables: small letters, digits and underscores. The server makes it if it may.",
        "存放 Counterfoil 数据表的 schema，由小写字母、数字和下划线组成。有权限时由服务器创建。")),
    ConfigurationKey(
      "database.durability", .word(["replicated", "storage", "local"]),
      standard: .depends(
        BilingualText(#""replicated" in production, otherwise "local""#, #"正式环境为 "replicated"，否则为 "local""#)),
      reload: .restart, example: #"durability = "storage""#,
      meaning: BilingualText(
        "What keeps an answered payment from being lost with a machine. replicated: a synchronous standby; a start "
          + "without one is refused. storage: a managed database whose storage copies by itself. local: the disk of one "
          + "machine alone.",
        "防止已应答的支付随机器丢失的手段。replicated：同步备用服务器，没有则拒绝启动。storage：存储层自行复制的托管数据库。"
          + "local：仅一台机器的磁盘。")),
    ConfigurationKey(
      "database.writers", .integer(1...64), standard: .value("4"), reload: .restart, example: "writers = 4",
      unit: BilingualText("connections", "个连接"),
      meaning: BilingualText(
        "The connections of this process that write; about one for each core of the database.",
        "本进程的写连接数；大致每个数据库 CPU 核心一个。")),
    ConfigurationKey(
      "database.readers", .integer(1...64), standard: .value("4"), reload: .restart, example: "readers = 4",
      unit: BilingualText("connections", "个连接"),
      meaning: BilingualText("The connections of this process that read.", "本进程的读连接数。")),
    ConfigurationKey(
      "database.batch", .integer(1...1000), standard: .value("200"), reload: .restart, example: "batch = 200",
      unit: BilingualText("transactions", "个事务"),
      meaning: BilingualText("The most transactions in one commit.", "一次提交最多包含的事务数。")),
    ConfigurationKey(
      "database.waiting", .integer(64...1_000_000), standard: .value("4096"), reload: .restart,
      example: "waiting = 4096", unit: BilingualText("transactions", "个事务"),
      meaning: BilingualText(
        "The most transactions that wait for a connection; a further request is answered 503.",
        "等待连接的事务数上限；超出的请求会收到 503。")),
    ConfigurationKey(
      "database.commit_deadline", .duration(.seconds(1) ... .seconds(60)), standard: .value(#""10s""#),
      reload: .restart, example: #"commit_deadline = "10s""#,
      meaning: BilingualText(
        "How long the answer to a COMMIT is awaited. Then another connection finds out whether it took.",
        "等待 COMMIT 应答的时长。超时后由另一个连接查明是否已提交。")),
  ]
}
