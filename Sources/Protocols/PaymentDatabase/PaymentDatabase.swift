package import PaymentPrimitives

/// What the engine asks a database, and nothing else. One conformance suite holds every implementation to it.
///
/// A transaction is a *synchronous, re-runnable* closure: it may be run several times before one run is committed, so
/// it must have no effect outside the transaction and must not wait for anything. That is what lets an implementation
/// put many transactions into one commit, roll a batch back and run it again, or send queued writes in one round
/// trip.
package protocol PaymentDatabase: ReadableDatabase {
  /// Runs the closure as one transaction: all of its writes become durable together, or none.
  ///
  /// The answer comes after the commit: what it says, a power cut cannot undo. A closure that met a refusal or conflict
  /// of the store is never committed, not even if it caught the error. After `DatabaseLimits.runsPerTransaction`
  /// conflicts it is refused as `contended`.
  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseTransaction) throws -> Value
  ) async -> CommitOutcome<Value>
}

/// A database that can be read, beside a running server too: all that reports and the audit need.
package protocol ReadableDatabase: Sendable {
  /// Runs the closure over one consistent state, without writing.
  ///
  /// - Throws: what the closure throws, or `Refusal<DatabaseErrorCode>` when the database cannot be read.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value
}

package enum CommitOutcome<Value: Sendable>: Sendable {
  case committed(Value)
  /// Nothing of it was written: the closure threw, or the database refused (`Refusal<DatabaseErrorCode>`).
  case refused(any Error)
  /// Nobody knows whether it was written. The caller asks again by its key; running the same closure again is safe,
  /// because uniqueness lives in the database.
  case outcomeUnknown

  /// The value of a committed transaction.
  ///
  /// - Throws: what refused it; `DatabaseErrorCode.outcomeUnknown` where that is the truth.
  package func get() throws -> Value {
    switch self {
    case .committed(let value): return value
    case .refused(let error): throw error
    case .outcomeUnknown: throw CodedError<DatabaseErrorCode>(.outcomeUnknown)
    }
  }
}

package enum DatabaseErrorCode: String, ErrorCode {
  /// A commit whose outcome nobody knows.
  case outcomeUnknown = "store_outcome_unknown"
  /// No room on the disk; nothing was written.
  case full = "store_full"
  /// The database could not be written or read.
  case unavailable = "store_unavailable"
  /// Two transactions met so often that the closure was given up; nothing was written.
  case contended = "store_contended"
  /// More changes or questions wait than the database can take; nothing was written.
  case overloaded = "store_overloaded"
  /// A row that a change builds on is missing or other than it says: a bug of ours, or a hand in the database.
  case inconsistent = "store_inconsistent"
  /// A balance would leave the range of 64 bits; nothing was written.
  case balanceOutOfRange = "store_balance_out_of_range"
  case heldByAnother = "store_held_by_another_process"
  /// The file is no database of ours, or damaged.
  case damaged = "store_damaged"
  /// The database was made by a newer version.
  case newerSchema = "store_newer_schema"
  /// The database was made by an older version and has not been brought up to this one.
  case olderSchema = "store_older_schema"
  /// A database of a simulated profile opened for production, or the other way round.
  case otherProfile = "store_other_profile"

  package var meaning: BilingualText {
    switch self {
    case .outcomeUnknown:
      BilingualText("Nobody knows whether the change was written.", "无法确定此次更改是否已写入。")
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
        "Look at the server's log for the database's own words; send the request again once it is mended.",
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
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .outcomeUnknown, .full, .unavailable, .contended, .overloaded, .heldByAnother: .later
    case .inconsistent, .balanceOutOfRange, .damaged, .newerSchema, .olderSchema, .otherProfile: .never
    }
  }
}

/// Two transactions met at the same rows, or a unique key was taken in between: the closure is run again by the store.
///
/// Thrown by reads and writes inside a transaction; a closure lets it pass.
package struct DatabaseConflict: Error, Hashable, Sendable {
  /// Which key or row, for the log.
  package let on: String

  /// A conflict on a key or row.
  package init(on key: String) { self.on = key }
}
