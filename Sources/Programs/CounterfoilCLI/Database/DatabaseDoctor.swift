import Diagnostics
import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import SQLiteDatabase
import ServerConfiguration

/// The checks of a database on a PostgreSQL server.
struct DatabaseDoctor {
  let configuration: ServerConfiguration
  let server: DatabaseServerSettings
  let platform: Platform

  /// - Returns: nil for a database in a file.
  init?(_ configuration: ServerConfiguration, _ platform: Platform) {
    guard case .server(let server) = configuration.database else { return nil }
    self.configuration = configuration
    self.server = server
    self.platform = platform
  }

  func findings() async -> [DoctorFinding] {
    let facts: ServerFacts
    do {
      facts = try await PostgreSQLDatabase.facts(
        OpenDatabase.settings(of: server, configuration.profile, platform), on: ThreadExecutor())
    } catch let error as CodedError<DatabaseErrorCode> {
      return [
        address,
        .failed(
          "database.server", BilingualText(words(error, .english), words(error, .chinese)),
          remedy: DatabaseFailure.remedy(error.code, configuration.database)),
      ]
    } catch { return [address] }
    return [
      address, reached(facts), rights(facts), schema(facts), durability(facts), connections(facts), clock(facts),
      transactions(facts), indexes(facts),
    ]
  }

  private func words(_ error: CodedError<DatabaseErrorCode>, _ language: Language) -> String {
    error.code.meaning[language] + " \(error.details) (\(error.code.rawValue))"
  }

  // MARK: the server

  private var address: DoctorFinding {
    let check = "database.tls"
    guard let address = try? PostgreSQLAddress(server.url) else {
      return .notApplicable(check, BilingualText("The address cannot be read.", "无法读取地址。"))
    }
    if address.verifiesServers {
      return .passed(check, BilingualText("The server must prove its name by TLS.", "服务器须通过 TLS 证明其主机名。"))
    }
    if address.staysHere {
      return .passed(check, BilingualText("The connection stays on this machine.", "连接不离开本机。"))
    }
    return .warned(
      check,
      BilingualText("Whoever is on the way to the server can read and change payments.", "通往服务器途中的任何人都能读取和篡改支付数据。"),
      remedy: BilingualText(
        "Add `?sslmode=verify-full` to the address, and `&sslrootcert=FILE` for an authority of your own.",
        "请在地址后加上 `?sslmode=verify-full`；自建签发机构还需 `&sslrootcert=文件`。"))
  }

  private func reached(_ facts: ServerFacts) -> DoctorFinding {
    let version = "\(facts.version / 10_000).\(facts.version % 10_000)"
    return .passed(
      "database.server",
      BilingualText(
        "PostgreSQL \(version) accepts writes; the database is encoded in UTF-8.",
        "PostgreSQL \(version) 可写，数据库编码为 UTF-8。"))
  }

  private func rights(_ facts: ServerFacts) -> DoctorFinding {
    let check = "database.rights"
    let isComplete = facts.schemaVersion.map { $0 >= PostgreSQLSchema.version } ?? false
    guard isComplete || facts.mayMakeTables else {
      return .failed(
        check,
        BilingualText(
          "The user may not make tables in the schema \(server.schema).", "该用户无权在 schema \(server.schema) 中建表。"),
        remedy: BilingualText(
          "Run `counterfoil migrate --apply --database URL` once as the owner, or grant CREATE on the schema.",
          "请以属主身份运行一次 `counterfoil migrate --apply --database URL`，或授予该 schema 的 CREATE 权限。"))
    }
    guard facts.tablesWithoutRights.isEmpty else {
      let tables = facts.tablesWithoutRights.joined(separator: ", ")
      return .failed(
        check, BilingualText("The user may not read and write: \(tables).", "该用户无权读写：\(tables)。"),
        remedy: BilingualText(
          "Run the grants at the end of `counterfoil schema --database URL`.",
          "请执行 `counterfoil schema --database URL` 末尾的授权语句。"))
    }
    return .passed(check, BilingualText("The user may read and write all tables.", "该用户可读写所有数据表。"))
  }

  private func schema(_ facts: ServerFacts) -> DoctorFinding {
    let check = "database.schema"
    guard let version = facts.schemaVersion else {
      return .passed(
        check, BilingualText("There are no tables yet: the first start makes them.", "尚无数据表：首次启动时创建。"))
    }
    if version > PostgreSQLSchema.version, facts.acceptsThisProgram {
      return .passed(
        check,
        BilingualText(
          "The schema is newer, number \(version), and this version may serve on it beside the new one.",
          "schema 更新，编号 \(version)；本版本可与新版本同时在其上提供服务。"))
    }
    if version > PostgreSQLSchema.version {
      return .failed(check, CodedError<DatabaseErrorCode>(.newerSchema, "\(version)"))
    }
    return .passed(
      check,
      version == PostgreSQLSchema.version
        ? BilingualText("The schema is of this version, number \(version).", "schema 与本版本一致，编号 \(version)。")
        : BilingualText(
          "The next start brings the schema from number \(version) to \(PostgreSQLSchema.version).",
          "下次启动将把 schema 从编号 \(version) 升级到 \(PostgreSQLSchema.version)。"))
  }

  private func durability(_ facts: ServerFacts) -> DoctorFinding {
    let check = "database.durability"
    let found = DurabilityCheck.shortcomings(of: facts, for: server.durability, configuration.profile)
    guard found.isEmpty else {
      let settings = found.joined(separator: ", ")
      return .failed(
        check,
        BilingualText(
          "durability = \"\(server.durability.rawValue)\" does not hold: \(settings).",
          "durability = \"\(server.durability.rawValue)\" 不成立：\(settings)。"),
        remedy: DatabaseErrorCode.notDurable.remedy)
    }
    guard server.durability != .local || configuration.profile != .production else {
      return .warned(
        check,
        BilingualText(
          "Answered payments are on the disk of one machine alone.", "已应答的支付只保存在一台机器的磁盘上。"),
        remedy: BilingualText(
          "Add a synchronous standby, then write durability = \"replicated\".",
          "请增加同步备用服务器，然后填写 durability = \"replicated\"。"))
    }
    return .passed(
      check,
      BilingualText(
        "The server's settings keep durability = \"\(server.durability.rawValue)\".",
        "服务器设置满足 durability = \"\(server.durability.rawValue)\"。"))
  }

  private func connections(_ facts: ServerFacts) -> DoctorFinding {
    let check = "database.connections"
    // Ten more for commands, backups and people.
    let needed = server.writers + server.readers + 2 + 10
    let words = BilingualText(
      "Of \(facts.connectionsMax) connections \(facts.connectionsUsed) are open; a server needs \(needed).",
      "共 \(facts.connectionsMax) 个连接，已用 \(facts.connectionsUsed) 个；一台服务器需要 \(needed) 个。")
    guard facts.connectionsMax < needed else { return .passed(check, words) }
    return .failed(
      check, words,
      remedy: BilingualText(
        "Raise max_connections, or lower writers and readers in [database].",
        "请提高 max_connections，或减小 [database] 中的 writers 和 readers。"))
  }

  // MARK: its state

  private func clock(_ facts: ServerFacts) -> DoctorFinding {
    let check = "database.clock"
    let difference = (platform.dependencies.now() - facts.now).milliseconds
    let words = BilingualText(
      "Its clock and this machine's differ by \(abs(difference)) ms.", "其时钟与本机相差 \(abs(difference)) 毫秒。")
    let remedy = BilingualText(
      "Synchronise both clocks by NTP.", "请用 NTP 同步两台机器的时钟。")
    switch abs(difference) {
    case ...2000: return .passed(check, words)
    case ...30_000: return .warned(check, words, remedy: remedy)
    default: return .failed(check, words, remedy: remedy)
    }
  }

  private func transactions(_ facts: ServerFacts) -> DoctorFinding {
    let check = "database.transactions"
    let minutes = facts.oldestTransaction.milliseconds / 60_000
    let words = BilingualText(
      "The oldest open transaction runs for \(minutes) minutes.", "最久的未结束事务已运行 \(minutes) 分钟。")
    guard minutes >= 60 else { return .passed(check, words) }
    return .warned(
      check, words,
      remedy: BilingualText(
        "End it (pg_stat_activity names it): meanwhile no vacuum removes old versions of rows.",
        "请结束该事务（见 pg_stat_activity）：在此期间 vacuum 无法清理旧的行版本。"))
  }

  private func indexes(_ facts: ServerFacts) -> DoctorFinding {
    let check = "database.indexes"
    guard !facts.invalidIndexes.isEmpty else {
      return .passed(check, BilingualText("All indexes are valid.", "所有索引均有效。"))
    }
    let names = facts.invalidIndexes.joined(separator: ", ")
    return .failed(
      check, BilingualText("Indexes are invalid: \(names).", "以下索引无效：\(names)。"),
      remedy: BilingualText(
        "Run REINDEX INDEX CONCURRENTLY for each of them.", "请对每个索引执行 REINDEX INDEX CONCURRENTLY。"))
  }
}
