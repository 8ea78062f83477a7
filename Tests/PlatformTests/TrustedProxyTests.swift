import HTTPMessages
import Testing

@Suite struct `An address of the network` {
  @Test(arguments: [
    "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.-4", "+1.2.3.4", "1.2.3.4 ", "0x1.2.3.4",
    "1.2.3.4:5",
    ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7::8", "12345::", "g::", "fe80::1%eth0",
    "[::1]", "::1.2.3", "::1.2.3.4:5", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::ffff:1.2.3.4/96", " ::1", "٣.1.1.1",
  ])
  func `is none of these texts`(text: String) { #expect(NetworkAddress(text) == nil) }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
    ("::1", "::1"), ("1::", "1::"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
    ("::FFFF:c000:0201", "192.0.2.1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("0:0:0:0:0:0:0:0", "::"), ("1:0:0:4:0:0:0:8", "1:0:0:4::8"),
  ])
  func `has one text, however it was sent`(text: String, canonical: String) throws {
    let address = try #require(NetworkAddress(text))
    #expect(address.description == canonical)
    #expect(NetworkAddress(canonical) == address)
    #expect(NetworkAddress(bytes: address.bytes) == address)
  }

  @Test func `can be loopback in both families, and has a network of 64 bits in IPv6`() {
    for text in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
      #expect(NetworkAddress(text)?.isLoopback == true, "\(text)")
    }
    for text in ["128.0.0.1", "::2", "::", "126.0.0.1"] {
      #expect(NetworkAddress(text)?.isLoopback == false, "\(text)")
    }
    #expect(NetworkAddress("2001:db8:1:2:3:4:5:6")?.network.description == "2001:db8:1:2::")
    #expect(NetworkAddress("192.0.2.7")?.network.description == "192.0.2.7")
    #expect(NetworkAddress(peer: "fe80::1%eth0")?.description == "fe80::1")
  }
}

@Suite struct `A block of addresses` {
  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1/8", "::/129",
    "2001:db8::1/64", "10.0.0.0/255.0.0.0", "localhost", "10.0.0.0/008 ", "10.0.0.0/0008",
  ])
  func `is none of these texts`(text: String) { #expect(AddressBlock(text) == nil) }

  @Test func `contains the addresses with its prefix, in both notations`() throws {
    func holds(_ block: String, _ address: String) throws -> Bool {
      try #require(AddressBlock(block)).contains(try #require(NetworkAddress(address)))
    }
    #expect(try holds("10.0.0.0/8", "10.255.0.1"))
    #expect(try holds("10.0.0.0/8", "::ffff:10.1.2.3"))
    #expect(try holds("::ffff:10.0.0.0/104", "10.1.2.3"))
    #expect(try holds("192.0.2.1", "192.0.2.1"))
    #expect(try holds("2001:db8::/32", "2001:db8:ffff::1"))
    #expect(try holds("172.16.0.0/12", "172.31.255.255"))
    #expect(try holds("0.0.0.0/0", "1.2.3.4"))
    #expect(try !holds("0.0.0.0/0", "2001:db8::1"))
    #expect(try !holds("10.0.0.0/8", "11.0.0.0"))
    #expect(try !holds("172.16.0.0/12", "172.32.0.0"))
    #expect(try !holds("192.0.2.1", "192.0.2.2"))
    #expect(try !holds("2001:db8::/33", "2001:db8:8000::"))
    for text in ["0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96"] { #expect(AddressBlock(text)?.holdsEverybody == true) }
    for text in ["10.0.0.0/8", "::1", "128.0.0.0/1"] { #expect(AddressBlock(text)?.holdsEverybody == false) }
    #expect(AddressBlock("10.0.0.0/8")?.description == "10.0.0.0/8")
    #expect(AddressBlock("2001:db8::/32")?.description == "2001:db8::/32")
    #expect(AddressBlock("::1/128")?.description == "::1")
  }
}

@Suite struct `The client behind proxies` {
  private static let xForwardedFor: [([String], String)] = [
    (["1.1.1.1"], "1.1.1.1"), (["6.6.6.6, 1.1.1.1"], "1.1.1.1"), (["6.6.6.6", "1.1.1.1"], "1.1.1.1"),
    (["1.1.1.1, 10.0.0.2"], "1.1.1.1"), (["1.1.1.1,10.0.0.2,\t2001:db8:a::1"], "1.1.1.1"),
    (["1.1.1.1:4711, ::ffff:10.0.0.2"], "1.1.1.1"), (["[2001:db8:b::1]:80"], "2001:db8:b::1"),
    (["2001:db8:b::1"], "2001:db8:b::1"), (["10.0.0.3, 10.0.0.2"], "10.0.0.3"), ([], "10.0.0.1"),
    ([""], "10.0.0.1"), (["unknown"], "10.0.0.1"), (["1.1.1.1, unknown, 10.0.0.2"], "10.0.0.1"),
    (["1.1.1.1,"], "10.0.0.1"), (["1.1.1.1:"], "10.0.0.1"), (["1.1.1.1:123456"], "10.0.0.1"),
    (["[1.1.1.1]"], "10.0.0.1"), (["[2001:db8:b::1"], "10.0.0.1"), (["[2001:db8:b::1]80"], "10.0.0.1"),
    ([Array(repeating: "10.0.0.2", count: 40).joined(separator: ",")], "10.0.0.2"),
    (["1.1.1.1"] + Array(repeating: "10.0.0.2", count: 40), "10.0.0.2"),
  ]

  private static let forwarded: [([String], String)] = [
    (["for=1.1.1.1"], "1.1.1.1"), (["For=\"1.1.1.1:80\";proto=https;by=10.0.0.1"], "1.1.1.1"),
    (["for=6.6.6.6, for=1.1.1.1;host=\"a,b;c\""], "1.1.1.1"), (["for=1.1.1.1, for=10.0.0.2"], "1.1.1.1"),
    (["proto=http;for=\"[2001:db8:b::1]:4711\""], "2001:db8:b::1"), (["for=\"\\1.1.1.\\1\""], "1.1.1.1"),
    // An open quote from a sender on the left hides nothing that our proxy wrote.
    (["for=\"6.6.6.6, for=1.1.1.1"], "1.1.1.1"), (["for=\"a\\\", for=6.6.6.6, for=1.1.1.1"], "1.1.1.1"),
    (["for=1.1.1.1 ; proto=http"], "1.1.1.1"), (["for=[2001:db8:b::1]"], "2001:db8:b::1"),
    (["for=unknown"], "10.0.0.1"), (["for=_hidden"], "10.0.0.1"), (["proto=http"], "10.0.0.1"),
    (["for=1.1.1.1;for=2.2.2.2"], "10.0.0.1"), (["for="], "10.0.0.1"), (["=1.1.1.1"], "10.0.0.1"),
    (["for=\"1.1.1.1"], "10.0.0.1"), (["for=1.1.1.1 proto=http"], "10.0.0.1"), (["for=\"1.1.1.1\\"], "10.0.0.1"),
  ]

  private static let blocks = ["10.0.0.0/8", "2001:db8:a::/48"].compactMap { AddressBlock($0) }

  private func client(
    _ values: [String], _ header: TrustedProxies.Header, from peer: String = "10.0.0.1"
  ) throws -> String {
    var fields = HTTPFields()
    for value in values { fields.add(header.rawValue, value) }
    // The other field is never trusted.
    fields.add(header == .forwarded ? "X-Forwarded-For" : "Forwarded", header == .forwarded ? "9.9.9.9" : "for=9.9.9.9")
    let proxies = TrustedProxies(Self.blocks, header: header)
    return proxies.client(behind: try #require(NetworkAddress(peer)), fields).description
  }

  @Test(arguments: xForwardedFor)
  func `is found in X-Forwarded-For from the right, after proxies only`(values: [String], expected: String) throws {
    #expect(try client(values, .xForwardedFor) == expected)
  }

  @Test(arguments: forwarded)
  func `is found in Forwarded in the same way`(values: [String], expected: String) throws {
    #expect(try client(values, .forwarded) == expected)
  }

  @Test func `is the sender itself if it is not a trusted proxy`() throws {
    #expect(try client(["1.1.1.1"], .xForwardedFor, from: "192.0.2.1") == "192.0.2.1")
    #expect(try client(["for=1.1.1.1"], .forwarded, from: "192.0.2.1") == "192.0.2.1")
  }
}
