import HTTPMessages
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// `counterfoil health`: asks a running server whether it can take calls. For containers and scripts.
enum HealthCommand {
  private static let timeLimit = TimeSpan.seconds(5)

  static let command = Command.of(
    "health", BilingualText("ask whether the server can take calls", "询问服务器能否接受请求"),
    usage: """
      usage: counterfoil health [--config FILE] [--url URL] [--live] [--json]

      Asks the running server for /readyz, at the address and port of the configuration.

        --url URL           ask there, such as https://pay.example.com
        --live              ask for /livez: whether the process answers at all
      \(ServerFlags.usage)
        --json              the server's answer as JSON

      Exit codes: 0 it can, 1 it cannot or does not answer, 2 wrong usage or no configuration.

      """,
    valued: ["url"] + ServerFlags.valued, flags: ["live"]
  ) { options, platform in
    let language = CommandLineProgram.language(platform)
    let origin: String
    if let url = try options.one("url") {
      origin = url.hasSuffix("/") ? String(url.dropLast()) : url
    } else {
      origin = HealthCommand.origin(try await ChosenConfiguration.of(options, platform).listen)
    }
    let request = HTTPRequest("GET", origin + (options.has("live") ? "/livez" : "/readyz"))
    let response: HTTPResponse
    do { response = try await platform.exchange(.anywhere).send(request, timeLimit) } catch {
      let words = BilingualText(
        "\(origin) does not answer (\(error)). Is the server running, and is this its address?",
        "\(origin) 没有应答（\(error)）。服务器是否在运行？地址是否正确？")
      throw CommandFailure(words[language])
    }
    let json = (try? JSONReader.read(response.body)) ?? .null
    if options.has("json") { platform.print(json.text + "\n") }
    guard response.status == 200 else {
      if options.has("json") { return ExitCode.failed }
      let words = [json["title"], json["detail"], json["remedy"]].compactMap { $0?.string }
      let code = json["code"]?.string.map { " (\($0))" } ?? ""
      throw CommandFailure("\(response.status): " + words.joined(separator: " ") + code)
    }
    if !options.has("json") {
      platform.print(BilingualText("\(origin) can take calls.\n", "\(origin) 可以接受请求。\n")[language])
    }
    return ExitCode.done
  }

  /// The address of a server on this machine. One that listens on all addresses is asked at the loopback address.
  static func origin(_ listen: ListenSettings) -> String {
    let host =
      switch listen.address {
      case "0.0.0.0": "127.0.0.1"
      case "::": "[::1]"
      default: listen.address.contains(":") ? "[\(listen.address)]" : listen.address
      }
    return "\(listen.certificate == nil ? "http" : "https")://\(host):\(listen.port)"
  }
}
