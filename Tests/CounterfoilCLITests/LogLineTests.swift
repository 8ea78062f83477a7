import CounterfoilCLI
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `A line of the log` {
  @Test(arguments: [true, false])
  func `names each field once, also where the event tells the profile`(isSimulated: Bool) throws {
    let profile = isSimulated ? "simulated" : "production"
    let event = LogEvent(.info, "server.listening", [("address", "http://127.0.0.1:1"), ("profile", profile)])
    let line = JSONLog.line(event, at: Timestamp(milliseconds: 0), isSimulated: isSimulated)
    // The reader refuses a name that stands twice.
    let json = try JSONReader.read(line.utf8)
    #expect(json["profile"]?.string == profile && json["event"] == "server.listening")
  }

  @Test func `of a simulated server says so, whatever it tells`() throws {
    let line = JSONLog.line(LogEvent(.info, "a"), at: Timestamp(milliseconds: 0), isSimulated: true)
    #expect(try JSONReader.read(line.utf8)["profile"] == "simulated")
    let real = JSONLog.line(LogEvent(.info, "a"), at: Timestamp(milliseconds: 0), isSimulated: false)
    #expect(try JSONReader.read(real.utf8)["profile"] == nil)
  }
}
