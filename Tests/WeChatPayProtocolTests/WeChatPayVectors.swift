import Testing

// Test vectors of WeChat Pay API v3. P1 to P3, C1 and C2 are published by WeChat Pay; the others were computed for
// tests and cross-checked with another implementation. All keys were made for tests, or published as examples.

/// Keys and texts with known signatures.
enum WeChatPayVectors {
  /// The merchant key of WeChat Pay's published examples: it protects nothing.
  static let merchantKeyMadeForTests = """
    -----BEGIN PRIVATE KEY-----
    MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCm2mb6q8gMKH/3
    CNTbpJAIrbqiBiQGEOtjGcBrDYltsGynWgNscqT7WvfzU14FQbYcQUC5T4Wvva7m
    i3fIp3OgX8VqMDNA0qebnr38Pe6kqiLyZgFpJPXlSKDyPyqhRbVTbXssvSMQeVKc
    dXeVxoNNeoOlNFHgF/P0io6AmAVnz+hN8SiZKuOsth5/zUTLGvtkgxBcQooQrtXh
    RcpLT798OyIb9xeJ2HO3xRtMv2+perEzb4gMibI74UBz+2QEbnkubPE+2jU2rRZu
    dnNEz/BPOt3Qj/w2V6/G0VumGDh6+UeMU0jv4aupHztWITC4Akn0l7lBCNy3lgl8
    VFaJnkIxAgMBAAECggEAYGL8aESB7NwciDWW2UdoWUsa7GxFtSdjAz2mFXGdeTsY
    mVh7b9OOkRGM+Qio4LqEHDBp1mMk5E/cUJwy1zw8pGGO5nfvs7u9TT3XnHaefIs4
    YvUgTYAneIuLRkXNN5rQU+CD7mVYczTSz0Vgjqo9wa1LjUz7G0xbBmJgTdMEFGJs
    eJjy6AbJo0CGIwp6HJbTm4CmOUgXnnDAIbEGTIRImkZFH/rzneIeR7oZ77FVwxr1
    CZB2gfRCov/yRPbw8vnryYkmvQ7D/ze3j5097vRg/MoDGBSdoOwcmo75vyofr0AS
    zytMjmHYyifqkf5slPropSiJeGf4p/7gtKyF6dE/XQKBgQDVAlJ+4U5ZVGOuDc3+
    sAhz8CTzgFNlq9vKuSoFK6hOz2L+cwj+E7NXGkOe2DsHHZNy2Xqxk7caKhPEp1z9
    hhpMpyLVMoFt6CKemyoRBWDCQwLLwem9SZF/IAyovBkLiH36P42Jm26gUkNMKC/5
    Zhtqxf6RZgRQzbVudJi47vIRCwKBgQDIh0+v27Oo+DM3fhObH4I1NrXpWOEGH7OQ
    G1dEsMuFYF4hjGhg0kBEP3w9vVdl2+mRllZKTsx9oqjb8OibPLLIH8xsdbAB0WLf
    JvjLu4wl/ILUzN1RI03dWnnv2EnEeQn6c3hizvrJ9wR5U4ue9RPVnQooJ0hZF1PU
    uCL5fWK3MwKBgElReU/PAYbh80WP3t3Rfbdaa32dKBeQ5iCLR5lsA4zM+YgX1HqQ
    EWTj126vgvHaDkyz6vWAoL/Sx+cirHFfXWIRDX5Q2hgYlQH+6qXdMgbrxeSYpHnQ
    /tHBGFpkFELSAnrGsVMyOwvYBO4LzyeLK9i+ufcWJFoj1FVmsMLHDG8tAoGARdbi
    iQQCoYG4DMarO2aQ6cmhN6EN1h0qY7EyBqlwaIZ0okiNfdMcMOjPc41DKCWcRmlO
    qlihXcxN9TQFPzO3rH1urAOdBjUPs1qWYhZyrDQyuLyVBBJApyxAtajloDjrob+f
    mQIvVDHk7ACN6xG+E7K6+9salnTKbJapD618uQMCgYBNy6XUvzLkP/A1U/UZdtcx
    l8GwU/dturLxz4CyGbqDw4ubaYY2e13lnqHUqQgPtiSyH51nq3tdo8G0YAJdfkSv
    KvnfslW91fyEBUKnkdW1o3/1UFU/wprZ7ixVL/F42A4xDu7OFE8EnweJOZ0jWceE
    OdhCkaIGBCfRnlECRK8UyQ==
    -----END PRIVATE KEY-----

    """

  /// A platform key made for tests.
  static let platformKeyMadeForTests = """
    -----BEGIN PRIVATE KEY-----
    MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDe+yVWK0dOdrND
    9USiTxSx8xXhHFZGPz+WE+HYWaBD2Mrs+lSK9HSPRiC3LeGgTZ3udR/rlgYd6FL/
    Xlv++UzuZd8YoCzg9EMr+dhv1xn0xryQa8GsjX8kROKgGIE+ZwHIXXShSnl8aXw8
    9enylgdUc27Ge6jFEflkwt0Eq4yldLgCg7VJuR+Tcmfv0l9kKNlyI1ePFNrTz4FS
    2g7QebE4pC6WujE40aIFsnbdbQzqEW1YvOLQzDKV1SJTnwtcbz4KHD1Byo7A3p/3
    VMHMYUFTfvvmMm+NcmHDlw7NaCAszXttKYquEZlmdMH6E3rfLgXLe0PAxWqTPRFw
    J4h0wwgnAgMBAAECggEAZNfCJ/lEs2idZEOdOaZ4Ho5oO7l8DyL1l+MABb9q6qQ2
    CfyglYM+37kAfLeETeIsZbaUrA/aTlZOiu1av7Jxp3Ns9Q8jnMz7P/0rdFEcjQYA
    K3SAT5Biir2YnHzYnqcpODuDzpoG3Uw7grpYhnxxbjESTTOJvS6G0poKKN2Iqx6J
    Hc4aDoKfx2bwq4EGnWZ+noZuGijygP+xR8+8mjGUIpIG7zw/2cUe8YcfGtmDNopu
    TeSTDoTQRLSaFWwWRAoUCSSz2JrYnhm1DZCPxTXiRg63r7Wb24lNu3nZ30+chwTX
    IlMrCtbqMFEMZlF0s4EIuVNcgP/OvYhAH47s4fqPGQKBgQD0EwI9fe/VMFPYDhD/
    0qr0SevFo3Emb7RFYNd7GbjNwE8vHwQvLq2lEyUTlPjZS41JFkJOe2UDHtGBg00e
    nV2LvkghQOTd/66z4v8jcd4W0sl9RaayiXeppFpv/0fGUGrQBx5gxjhNT1X8OKoW
    XJ5EJmu6t5mWaYhK1IT+uSXXmwKBgQDp4EsqqPJBMDJMLdoyH7zuBM3IsWOphpxO
    nWHINAJzgzJBJKUPl2CfyfcYCQ9GTRiBXdwp6btkWK5jiDkn4nhmzffyDLUAD//c
    9AaX4t81jxlGSorB5yn/T/IqAIMTjoRsMsLz9QwD2KClGEcngVz+REMXtjUiIyIe
    MzxfYppoZQKBgQCk2zoGIswdqTjYlBezU64Ytt1DbzP8DDMtMU4aXbNPdfeGEmMX
    I2YyO44tfc/fpYJWvWwn6ny98ND9s5whc5U90FaT72sm744m/snqPP0PWWyy6pq/
    uM5UjShwwXLPZn3e6RABuaFJxq6DYBqyY/iae4EEawKYb8uZD5aNHq2KxQKBgQCt
    mFuSxaZTdrfOzbYIwIAW2B/62JiWK6F3xN/gn6I2JWq26cFPClihImMzRv48e1s2
    IvoZbjE28ZA3ttRd437lJ/rjgkUTT8zmL4d5U9/EPHxRLWFDPhdxN+ETBiBE8uMe
    AKuuMvSBIllTUer2ytHAteBrCEb2GMfpTLSCRIlB9QKBgGLpxT/J2Lt7lrtUb6Ps
    XmGZeW0d+X3tZ5DEHl6QO9xTid+9pUIi52CtVDjnbjJyv7SjU5oBXrF/At4vZ5Va
    F67oJxxKso7xqYtJ+pFNDSf37zWT+V8/cYaSeZwal0NTm26MTPJrgbLf/eF+tYo+
    oPeXvFWVG/FFLERBrxemgTgP
    -----END PRIVATE KEY-----

    """

  /// The certificate of that key: 1078 bytes with its last line feed.
  static let platformCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIC7jCCAdagAwIBAgIUCl4Q71WHfjz2wzJVwufe//fkJ+wwDQYJKoZIhvcNAQEL
    BQAwMTEbMBkGA1UEAwwSU2ltdWxhdG9yIFBsYXRmb3JtMRIwEAYDVQQKDAlUZXN0
    IE9ubHkwHhcNMjUwMTAxMDAwMDAwWhcNNDUwMTAxMDAwMDAwWjAxMRswGQYDVQQD
    DBJTaW11bGF0b3IgUGxhdGZvcm0xEjAQBgNVBAoMCVRlc3QgT25seTCCASIwDQYJ
    KoZIhvcNAQEBBQADggEPADCCAQoCggEBAN77JVYrR052s0P1RKJPFLHzFeEcVkY/
    P5YT4dhZoEPYyuz6VIr0dI9GILct4aBNne51H+uWBh3oUv9eW/75TO5l3xigLOD0
    Qyv52G/XGfTGvJBrwayNfyRE4qAYgT5nAchddKFKeXxpfDz16fKWB1RzbsZ7qMUR
    +WTC3QSrjKV0uAKDtUm5H5NyZ+/SX2Qo2XIjV48U2tPPgVLaDtB5sTikLpa6MTjR
    ogWydt1tDOoRbVi84tDMMpXVIlOfC1xvPgocPUHKjsDen/dUwcxhQVN+++Yyb41y
    YcOXDs1oICzNe20piq4RmWZ0wfoTet8uBct7Q8DFapM9EXAniHTDCCcCAwEAATAN
    BgkqhkiG9w0BAQsFAAOCAQEAlXabuD2vQMUTJJzzNz33hSkSP5EpR62cSDIMv08/
    faH93HyO13sx9Pxx6avgSUUCLiv2tpfg6rPrMDCvRWmmZk7xXblhtKz5c2a6iL5b
    K9gwpsEBR5x9nWQxjx8njS3ZKAgGf14En1Q6OGSGbWBDP6I0QCZAituGAzwJQUF7
    C27YA4Pqv53mveSPh3PVJQSlYOe3Cmfb20v9npfL4eY1AYZSkMAIOnt04ZaYUbs7
    /wMwTlqTYIXrKFf1L+Mx+jiUXmetOU7Tbv7HLwDxoMeQRe0Xn0rOyDoasYb0RPPL
    D2YRyF4ODrCbBKVijr11XDGXAgdmURmv2c325W17kdqL3Q==
    -----END CERTIFICATE-----

    """

  static let merchantSerial = "408B07E79B8269FEC3D5D3E6AB8ED163A6A380DB"
  static let platformSerial = "0A5E10EF55877E3CF6C33255C2E7DEFFF7E427EC"
  static let publicKeyIdentifier = "PUB_KEY_ID_0119000072912025010100000000000000"
  static let apiV3KeyMadeForTests = "0123456789abcdefghijklmnopqrstuv"
}

/// A request and its signature.
struct RequestVector: Sendable, CustomTestStringConvertible {
  let name: String
  let method: String
  let target: String
  let timestamp: Int64
  let nonce: String
  let body: String
  let byteCount: Int
  let signature: String

  var testDescription: String { name }
}

extension WeChatPayVectors {
  static let requests: [RequestVector] = [
    RequestVector(
      name: "P1", method: "GET",
      target: "/v3/refund/domestic/refunds/123123123123",
      timestamp: 1554208460, nonce: "593BEC0C930BF1AFEB40B4A08C8FB242",
      body: "",
      byteCount: 90,
      signature: #"""
        Lc9VXxmeonkdV8Xk9tmigQFLhl0vRWTerdmoRu01aAnYwIrD/5nsSwE1WlmZGLRlAFTNQ3QsMa0+VRDlJp1Wp5p0nO8EK68b\#
        5sJBbjouxaFciIfq1zfDWWz+jqhcMoKXI1A6dPm1AW7D4d30WsMTNzp6g23OXakIsh9LO3lUmwvTuE0BY8ncf6tNGk4wKmvX\#
        wERd/ZpoQY3MAVKz+Nakwc+2XBmzT66KcUehU5kr4IvGa/lEU5RZb/q00zP9VLdBhC/jQSX3X1UcJLCtEc4gTmib4tnmAT+b\#
        HF/e17ZAuxDNcx6rqT8gNEXqaJGG+1OflMSTU2tpyG65G4dMKdFcoA==
        """#),
    RequestVector(
      name: "P2", method: "POST",
      target: "/v3/pay/transactions/jsapi",
      timestamp: 1554208460, nonce: "593BEC0C930BF1AFEB40B4A08C8FB242",
      body: #"""
        {"appid":"wxd678efh567hg6787","mchid":"1900007291","description":"Image形象店-深圳腾大-QQ公仔","out_trade\#
        _no":"1217752501201407033233368018","notify_url":"https://www.weixin.qq.com/wxpay/pay.php","amou\#
        nt":{"total":100,"currency":"CNY"},"payer":{"openid":"oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"}}
        """#,
      byteCount: 372,
      signature: #"""
        jnks4dlrPw3ZX+ozVvSK39oa0t7OMBsg83BHAwd8BRdUFiVaQNTLTvci+wURgP1OQBbKYhFGvt7iqYpDSTQkp7Uq1sltaQKy\#
        ncCyrA1g88m5bsKERQfPyT0ahSwKTYJ1CAn9QiJuSJRq1QsQs07eehbU/k9BCS51jTyc1Jpsi2H77HF9f/BnjXAOP3/sPObg\#
        6V5Ee4EzwLox684hhuMuIwHo7D8KFk3LIHOKDcNI4It1aCXydFWNpNK+SG86VUDe5kwoDpw4Ulqfu9z8OFDGbDs9TCxEv8iq\#
        QzbpxOlEVoOe2kalSYM5kApQb3nZcxdUtoE0liJGW3RGUNE0t4v01A==
        """#),
    RequestVector(
      name: "P3", method: "POST",
      target: "/v3/pay/transactions/jsapi",
      timestamp: 1554208460, nonce: "593BEC0C930BF1AFEB40B4A08C8FB242",
      body: #"""
        {"appid":"wxd678efh567hg6787","mchid":"1230000109","description":"Image形象店-深圳腾大-QQ公仔","out_trade\#
        _no":"1217752501201407033233368018","notify_url":"https://www.weixin.qq.com/wxpay/pay.php","amou\#
        nt":{"total":100,"currency":"CNY"},"payer":{"openid":"oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"}}
        """#,
      byteCount: 372,
      signature: #"""
        gEuexJ547PHFV77TQ6eiE4tphVYfWfUe1Wc2dBmVnoMYU2rl/M4zhw+b3vBhuMw6AC7pteNkryLA7UWU2h+umo0OdSuuLm1+\#
        +O3NckQPCSfm6dypsjn4GYm84KMqXWFrhFmyxEwIdEJDr3w1UYfxOcu55OQupfLkrt/ZzuOspnliJFrPzGQFUk7lGqMMtpz3\#
        EfbDUNxnVsHblORg3hVmuYNmbGWnS2ovU30Y2Q+iKFDxzkaXBk8LTy6HzvxizRo6Q+J4SVM7O0hKXfgo1QdI68kpzNULb3EV\#
        BXlhTyPUzhkHzzLxECL1qHl3HH2hEv8++C+4wBlsagF3j/O6PABojA==
        """#),
    RequestVector(
      name: "R1", method: "GET",
      target: "/v3/pay/transactions/out-trade-no/ORD20251009000001?mchid=1900007291",
      timestamp: 1760000000, nonce: "5K8264ILTKCH16CQ2502SI8ZNMTM67VS",
      body: "",
      byteCount: 118,
      signature: #"""
        Rnl7INYaD/2+INRdj4HJyWuegmgnE6JQ6j0/xEdy65qPRbmyXEIF808KZ1C0j7vkXLqOd0xPc6W+JogmGGZVk9KPeIbF6HjC\#
        6Nm8UlrEHmqP8rgGHAg8bQ+7n3zgB4nMQY/uN2V62L3iA27OFWarj0GPGQng+fEU1YwmBSPGl/nLyzoQ9+dlJt0Zp1XWK5tf\#
        1T+46grYyQAEYVDIuZ4ezKuDu6y175/NnHkoW7hplWA9uye9wLutpY+tGL42FiEWJ85snswgsoJ4BQ5QQHYgNUqy0es4AAcg\#
        aCpfdEKUU7WqlUTko7EXg18oUxOsqBNNEor0Jp2Vh5E7VURHQ+QRRw==
        """#),
    RequestVector(
      name: "R2", method: "POST",
      target: "/v3/pay/transactions/app",
      timestamp: 1760000000, nonce: "C380BEC2BFD727A4B6845133519F3AD6",
      body: #"""
        {"appid":"wx2421b1c4370ec43b","mchid":"1900007291","description":"测试商品-钻石x60","out_trade_no":"OR\#
        D20251009000001","time_expire":"2025-10-09T17:23:20+08:00","notify_url":"https://pay.example.com\#
        /wechat/notify","amount":{"total":600,"currency":"CNY"}}
        """#,
      byteCount: 335,
      signature: #"""
        Xi1zBL9pviF93wnD3fVtCsWyf/ieYLvnSZq+zzNEhDIq4X8sZ8KeaEfy44VyigoH7HaczJJUMOtXtggrbecLmxk4NwarzTnf\#
        JT+OWLnkx9Y/Mz1nCBei+TJT0uiHm6L34eZFpaf5jQOCOvxOYJ9fxnibTCsr1NuQMHfaL1hVFA8jA7Se6QZ/J8929sr0xLFE\#
        DnePfShyX/An/u8LreexqOqrv2EQ9Gj4xK6jvR0hRdiWzgKhjrtCtKz35vfEQXKBejqUC+NnnDPpUafG2G1d2Uq90yAZNw5M\#
        u9nbcfCSATBuYTfiTabPbcwi577jQLing7HFp3S0x09DMZAKWdA0iQ==
        """#),
    RequestVector(
      name: "R3", method: "GET",
      target: "/v3/billdownload/file?token=a%2Bb%3D%3D&tartype=gzip",
      timestamp: 1760000000, nonce: "0123456789ABCDEFabcdef0123456789",
      body: "",
      byteCount: 102,
      signature: #"""
        OMEie4eBVnTKqLjhlZ4b38ftpt6vL25CQrGy1jtP7vwyyYRahfhB2HRN+uEr42LC3vH0KHknKOa0EEHHmXJVBssurVBs4e2r\#
        WtQmIwAquhcXo2jXB42nlh7seAIpwFr+RR6ZYLQ2Jwnm6G50aZnVJON2YnKXgc7vo1Q1kZJqVsUMcqLHZiDN27A7OTz4KBpH\#
        tazPCIvBRtXPvoPQlBAy4F1EK48mthBdHAWXOqmFRn8u9Zt5I7I/pn08s+SG889hEPVncsBsLE6+yupS0nLGtgMW2kluK7Fv\#
        adITtw5nOOeEYhaj2SM7s4Mjj0VsgdOzwCrInDIhB6aMVeJvO8HDvA==
        """#),
  ]
}
