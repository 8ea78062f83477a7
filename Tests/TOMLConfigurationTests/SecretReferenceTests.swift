import PaymentPrimitives
import TOMLConfiguration
import Testing

@Suite struct `A secret reference` {
  @Test(arguments: ["\"sesame\"", "123456", "['sesame']", "'''\nsesame'''"])
  func `refuses a secret in the file, states the remedy and quotes no part of the secret`(text: String) {
    let error = error(in: text)
    #expect(error?.problems.map(\.error.code) == [.secretInline])
    #expect(error?.description.contains("{ environment = \"NAME\" }") == true)
    #expect(error?.description.contains("counts as disclosed") == true)
    #expect(error?.description.contains("sesame") == false)
    #expect(error?.description.contains("123456") == false)
  }

  @Test(arguments: [
    "{}", "{ file = '' }", "{ file = 1 }", "{ file = 'a', environment = 'B' }", "{ value = 'sesame' }",
    "{ environment = 'sk_live_sesame' }", "{ environment = '1A' }", "{ environment = 'A-B' }",
    "{ credential = '../sesame' }", "{ credential = '/etc/sesame' }", "{ credential = '.sesame' }",
    "{ credential = '' }",
    "{ credential = 'a', file = 'b' }",
  ])
  func `refuses everything except one of the three places`(text: String) {
    let error = error(in: text)
    #expect(error?.problems.map(\.error.code) == [.malformed])
    #expect(error?.description.contains("sesame") == false)
  }

  @Test func `refuses a credential where no service manager provides any, and says what the unit needs`() {
    for folder in [nil, "", "relative"] {
      let sources = SecretSources(
        readFile: { _, _ in Array("sesame".utf8) }, environment: { $0 == "CREDENTIALS_DIRECTORY" ? folder : nil })
      let error = error(.credential("api-v3.key"), sources)
      #expect(error?.code == .secretUnreadable)
      #expect(error?.details.contains("LoadCredential=api-v3.key:") == true, "\(error?.details ?? "")")
    }
  }

  @Test func `refuses a file that others can read, and says how to change that`() {
    var sources = sources(file: Array("sesame".utf8))
    sources.isReadableByOthers = { $0 == "key.pem" }
    let error = error(.file("key.pem"), sources)
    #expect(error?.code == .secretExposed)
    #expect(error?.details == "File key.pem. Correct it: chmod o-rwx key.pem")
    #expect((try? SecretReference.file("other.pem").resolve(sources)) != nil)
  }

  @Test func `reads a credential from the folder that the service manager names`() throws {
    let sources = SecretSources(
      readFile: { path, _ in
        #expect(path == "/run/credentials/counterfoil.service/api-v3.key")
        return Array("sesame\n".utf8)
      }, environment: { $0 == "CREDENTIALS_DIRECTORY" ? "/run/credentials/counterfoil.service" : nil })
    #expect(try SecretReference.credential("api-v3.key").resolve(sources) == Array("sesame".utf8))
    #expect(try read("{ credential = 'api-v3.key' }") == .credential("api-v3.key"))
  }

  @Test func `reads both other places`() throws {
    #expect(try read("{ file = '/run/secrets/key' }") == .file("/run/secrets/key"))
    #expect(try read("{ environment = 'API_KEY_2' }") == .environment("API_KEY_2"))
  }

  @Test func `refuses a file that cannot be read, and names it`() {
    let error = error(
      .file("key.pem"), SecretSources(readFile: { _, _ in throw NoFile() }, environment: { _ in nil }))
    #expect(error?.code == .secretUnreadable)
    #expect(error?.details.contains("key.pem") == true)
  }

  @Test func `refuses a file that is larger than any key, even if the reader returns it`() {
    let error = error(
      .file("disk.img"), sources(file: Array(repeating: 0x41, count: SecretReference.bytesMax + 1)))
    #expect(error?.code == .secretUnreadable)
  }

  @Test func `refuses a missing variable, and names it`() {
    let error = error(.environment("API_KEY"), sources())
    #expect(error?.code == .secretUnreadable)
    #expect(error?.details.contains("API_KEY") == true)
  }

  @Test(arguments: ["", "\n", "\r\n"])
  func `refuses an empty secret`(text: String) {
    #expect(error(.file("key"), sources(file: Array(text.utf8)))?.code == .secretEmpty)
    #expect(error(.environment("KEY"), sources(variable: text))?.code == .secretEmpty)
  }

  @Test(arguments: [("abc\n", "abc"), ("abc\r\n", "abc"), ("abc\n\n", "abc\n"), ("a\nb", "a\nb"), (" abc ", " abc ")])
  func `returns the bytes without the one line break that editors add`(text: String, secret: String) throws {
    #expect(try SecretReference.file("key").resolve(sources(file: Array(text.utf8))) == Array(secret.utf8))
    #expect(try SecretReference.environment("KEY").resolve(sources(variable: text)) == Array(secret.utf8))
  }

  @Test func `requests no more bytes than it accepts`() throws {
    let sources = SecretSources(
      readFile: { path, bytesMax in
        #expect(path == "key")
        #expect(bytesMax == SecretReference.bytesMax)
        return [1]
      }, environment: { _ in nil })
    #expect(try SecretReference.file("key").resolve(sources) == [1])
  }

  // MARK: sources

  private struct NoFile: Error {}

  private func sources(file: [UInt8] = [], variable: String? = nil) -> SecretSources {
    SecretSources(readFile: { _, _ in file }, environment: { _ in variable })
  }

  private func error(
    _ reference: SecretReference, _ sources: SecretSources
  ) -> CodedError<ConfigurationErrorCode>? {
    do throws(CodedError<ConfigurationErrorCode>) {
      _ = try reference.resolve(sources)
      return nil
    } catch {
      return error
    }
  }

  private func read(_ text: String) throws(ConfigurationError) -> SecretReference {
    try ConfigurationFile(parsing: Array("key = \(text)".utf8), named: "test.toml").read { $0.required("key", .secret) }
  }

  private func error(in text: String) -> ConfigurationError? {
    do throws(ConfigurationError) {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }
}
