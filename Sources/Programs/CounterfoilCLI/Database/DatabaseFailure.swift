import PaymentDatabase
import PaymentPrimitives
import ServerConfiguration

/// Errors of the database, as text for a person at a terminal.
enum DatabaseFailure {
  static func inWords<Value>(
    _ database: DatabaseLocation, exit: Int32 = ExitCode.failed, _ platform: Platform,
    _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as CodedError<DatabaseErrorCode> {
      throw CommandFailure(words(error, of: database, CommandLineProgram.language(platform)), code: exit)
    }
  }

  /// What is wrong, the details, the remedy, and the code.
  static func words(
    _ error: CodedError<DatabaseErrorCode>, of database: DatabaseLocation, _ language: Language
  ) -> String {
    let words = [error.code.meaning[language], error.details, remedy(error.code, database)[language]]
    return "\(database.name): " + words.filter { !$0.isEmpty }.joined(separator: " ") + " (\(error.code.rawValue))"
  }

  /// At a terminal there is no log to check and no client to retry: the most likely cause is the place.
  static func remedy(_ code: DatabaseErrorCode, _ database: DatabaseLocation) -> BilingualText {
    switch (code, database) {
    case (.heldByAnother, .file(let path)):
      return BilingualText(
        """
        Stop the process that is named. If it is a server, the commands for keys, accounts and the queue need not stop \
        it: run as the server's user, they reach it through \(LocalAccess.file(of: path)).
        """,
        """
        请停止所指明的进程。如果它是服务器，密钥、账号与人工处理队列的命令无需将其停止：以服务器的用户身份运行，\
        即可通过 \(LocalAccess.file(of: path)) 与其通信。
        """)
    case (.unavailable, _): break
    default: return code.remedy
    }
    switch database {
    case .file:
      return BilingualText(
        "Check that the folder exists, that this process may write to it, and the free space on the disk.",
        "请检查文件夹是否存在、本进程是否有写入权限，以及磁盘剩余空间。")
    case .server:
      return BilingualText(
        "Check that PostgreSQL runs there, its host name and port, and that its firewall lets this machine in.",
        "请检查 PostgreSQL 是否在该处运行、主机名和端口是否正确，以及防火墙是否允许本机连接。")
    }
  }
}
