import Diagnostics
import HTTPMessages
import PaymentPrimitives
import ServerConfiguration

/// The checks of the machine below a server: its port, and the folders that it writes to.
struct MachineDoctor {
  let configuration: ServerConfiguration
  let platform: Platform

  func findings() async -> [DoctorFinding] {
    let backup = configuration.backup.map { folder("server.backup", $0.folder) }
    let database = configuration.database.file.map { folder("server.database", Self.folder(of: $0)) }
    let server = await DatabaseDoctor(configuration, platform)?.findings() ?? []
    return [await address()] + [database, backup].compactMap(\.self) + server
      + [await ErasureDoctor.finding(configuration, platform), RetentionDoctor.finding(configuration.retention)]
  }

  // MARK: the port

  private func address() async -> DoctorFinding {
    let check = "server.address"
    let listen = configuration.listen
    let place = "\(listen.address):\(listen.port)"
    if await isServed {
      return .passed(check, BilingualText("A server runs over this database already.", "已有服务器在使用该数据库运行。"))
    }
    do {
      let listener = try platform.listen(listen) { _, _ in .init(status: 503) }
      listener.stop()
      return .passed(check, BilingualText("A server can listen on \(place).", "可以在 \(place) 上监听。"))
    } catch let error as any BilingualError {
      return .failed(
        check, BilingualText(error.words(.english), error.words(.chinese)),
        remedy: BilingualText(
          "End the other program, or choose another address or port. Below 1024 a service needs the right to it: "
            + "AmbientCapabilities=CAP_NET_BIND_SERVICE.",
          "请结束占用端口的程序，或更换地址或端口。1024 以下的端口需要授权：AmbientCapabilities=CAP_NET_BIND_SERVICE。"))
    } catch {
      return .notApplicable(check, BilingualText("Listening is not possible here.", "此处无法监听。"))
    }
  }

  private var isServed: Bool {
    get async { (try? await RunningServer.over(configuration.database, platform)) ?? nil != nil }
  }

  // MARK: folders

  /// Whether a new file can be made in a folder, by the user that runs this command. The database and its log need
  /// that too.
  private func folder(_ check: String, _ folder: String) -> DoctorFinding {
    let probe = folder + "/.counterfoil-doctor"
    do {
      try platform.files.replace(probe, [])
      try platform.files.remove(probe)
      return .passed(check, BilingualText("The folder \(folder) can be written.", "文件夹 \(folder) 可写。"))
    } catch {
      let why = error as? any BilingualError
      return .failed(
        check,
        BilingualText(
          "No file can be made in \(folder). \(why?.words(.english) ?? "\(error)")",
          "无法在 \(folder) 中创建文件。\(why?.words(.chinese) ?? "\(error)")"),
        remedy: BilingualText(
          "Make the folder and give it to the user of the server (install -d -o counterfoil -m 0700 \(folder)).",
          "请创建该文件夹并交给运行服务器的用户（install -d -o counterfoil -m 0700 \(folder)）。"))
    }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
