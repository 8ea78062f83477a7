/// Keys and a certificate that the `openssl` program made for these tests. They protect nothing.
enum KeysMadeForTests {
  /// One key on P-256 in its three forms.
  static let sec1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIB/m2OcdKOhIlWd+qTEnm/20kkUkULZVvjkqbpMHKzbVoAoGCCqGSM49
    AwEHoUQDQgAEZxp9Ga6lEHunizq7Qec6qbvf1SRqKiz1mvT5kZvt3MeOQ1LBjaTn
    z9klmrcRLd4nWE6rte5Il7YdyffoDMYluw==
    -----END EC PRIVATE KEY-----
    """

  static let pkcs8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgH+bY5x0o6EiVZ36p
    MSeb/bSSRSRQtlW+OSpukwcrNtWhRANCAARnGn0ZrqUQe6eLOrtB5zqpu9/VJGoq
    LPWa9PmRm+3cx45DUsGNpOfP2SWatxEt3idYTqu17kiXth3J9+gMxiW7
    -----END PRIVATE KEY-----
    """

  static let spki = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEZxp9Ga6lEHunizq7Qec6qbvf1SRq
    Kiz1mvT5kZvt3MeOQ1LBjaTnz9klmrcRLd4nWE6rte5Il7YdyffoDMYluw==
    -----END PUBLIC KEY-----
    """

  /// A key on P-384.
  static let pkcs8OnP384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCxNqh0KMmRgfRI3hV8
    TE0Ak90Tnla15ls9jad8H8lSWSfbrnoAvQ9xR+pe+vbUemChZANiAARiko5g/76B
    6wt3GQljznIUOaezfDaN63EzqqK5fq0Fx2+V7MaQJcxOuVPUoXEb9mJJBwoIa4o9
    IQ8UPLUxUYSgF3/RNxmAKEPCmjFnFPOQw+Jrqs9YCKy+It1gWxQgZtE=
    -----END PRIVATE KEY-----
    """

  static let spkiOnP384 = """
    -----BEGIN PUBLIC KEY-----
    MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEYpKOYP++gesLdxkJY85yFDmns3w2jetx
    M6qiuX6tBcdvlezGkCXMTrlT1KFxG/ZiSQcKCGuKPSEPFDy1MVGEoBd/0TcZgChD
    wpoxZxTzkMPia6rPWAisviLdYFsUIGbR
    -----END PUBLIC KEY-----
    """

  /// A key that states its curve's parameters instead of its name.
  static let pkcs8WithSpelledOutCurve = """
    -----BEGIN PRIVATE KEY-----
    MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
    AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
    ///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
    AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
    9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
    AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQgAIB/wl2g5y8t
    TXx7QGgFpyN+RHm3OzwOneaR6q0C2xihRANCAAQltRDad+JlDyDZedyGsf6o/7B8
    RhgytKT+hWXSmsBvu1LJWTJWVlNb5wlYp1TGtbvMHwoJkkgI/SzzqVtentWT
    -----END PRIVATE KEY-----
    """

  /// A key on a curve that we do not support.
  static let pkcs8OnSecp256k1 = """
    -----BEGIN PRIVATE KEY-----
    MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgBUYcgAVxppL8yG2q8Bnr
    BKnRH7LyweUfAFIpEuHcHNKhRANCAARY5wdHxEtj/gwCThybs7zaFJ1u//C7ums6
    rVEA1O+3LGfzG96ObjrZgKk9y+stK9T3o966Pd3it9ar5syNBNw/
    -----END PRIVATE KEY-----
    """

  /// The first key, encrypted with a passphrase.
  static let pkcs8Encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhJ3GQ5Jqz7bwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFtMXxSvnrNNz8ZTCeOUY3AEgZAx
    wOPg3da1kigkZVnztU4VfhaN3wtmuE0w8Zm5VfI9aISRRsP9rwQgoNbnuHcM9lFN
    wQ0ziCkS8LOQhwnNEO4AgzMS4Y8sU8g3nIV4e3ro0m4HuS4w+8maYLR6AQWvUYsb
    MsHHvudGpsJUFkVtg3CkeYNGg4LnerCwgpOoc9jt+yXyYVRgdG8SN40heuyYgaE=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  /// A root on RSA that may certify three more authorities.
  static let certificateOnRSA = """
    -----BEGIN CERTIFICATE-----
    MIIDhTCCAm2gAwIBAgIUR69DYnTugZbx4+WitDVkp/EoiScwDQYJKoZIhvcNAQEL
    BQAwNzELMAkGA1UEBhMCQ04xDzANBgNVBAoMBua1i+ivlTEXMBUGA1UEAwwOTWFk
    ZSBmb3IgdGVzdHMwIBcNMjYxMTIwMTk0ODQ1WhgPMjEyNjEwMjcxOTQ4NDVaMDcx
    CzAJBgNVBAYTAkNOMQ8wDQYDVQQKDAbmtYvor5UxFzAVBgNVBAMMDk1hZGUgZm9y
    IHRlc3RzMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0+W0/j5E12HK
    r9e9PqQ0eExwa6kgiK/mZkKUvqH84KZ2v5hb5Me/Exis7D8FaehZ6ER9l4/SUd2j
    f2RTRQ20PPIusMDORXa2vOLsXeszsFz8a7UV86Q6VGyWXqlSdWA6y0WEHRvG3wuz
    t2HHdZRLAvgazTQemtAsfpCGuFX8ebyMfeti0/s6hcQ2TdyqRgbrH3cK4uBbwO9R
    AvCOsl5gdnNzogcRZcNWLdjsb0ZledcvyCT3HsiFLe/34Sdw4f9LKveELgH/iGPy
    uovAuVhw9TJswLrVHGyJ6pmuJkc63VvdsdH4AqUu0I4vE7eMF4WA1r9ikol/Hdon
    C3KgWVeFOQIDAQABo4GGMIGDMB0GA1UdDgQWBBRxXtIwm8IMsnRNC8WJwtu2BrF9
    ZTAfBgNVHSMEGDAWgBRxXtIwm8IMsnRNC8WJwtu2BrF9ZTAOBgNVHQ8BAf8EBAMC
    AoQwHQYDVR0lBBYwFAYIKwYBBQUHAwEGCCsGAQUFBwMCMBIGA1UdEwEB/wQIMAYB
    Af8CAQMwDQYJKoZIhvcNAQELBQADggEBAL0zEIEUAgdjDwBpauaz1FZ7QcvCu9Tp
    GTWoPiliRjtvNrMvZJVO6cns3EK8XuHjESIrYpZgD+Iik91cLcYcPpy6U5Yequ99
    B1TUzLybOtpdP3t2pgmcKhDdY9Jr3aPclqn/a/DLt2V/EV0QIJMiNdqa0CY8x6HP
    EzVECTmzmxoyLZtfnL5Dq7on379YGIVQRY0h2/dQyL3soHCzUqkL4bUiN0HJJNxZ
    j1KpO6Q+bFlwuq/7tzmpxzCigpr5OmoJmuCUiQ54UzLfXw2aMjQer+Ek6ifw19mk
    iDnnLRCU0w49n1c0WoX76yXehPhFKfg+i204B8z4u/jmIqxlcA6jUsk=
    -----END CERTIFICATE-----
    """
}
