import Testing

/// A text that WeChat Pay signs: an answer or a notification.
struct AnswerVector: Sendable, CustomTestStringConvertible {
  let name: String
  let timestamp: Int64
  let nonce: String
  let body: String
  let signature: String
  /// The decrypted resource of a notification.
  var plaintext = ""

  var testDescription: String { name }
}

extension WeChatPayVectors {
  static let prepayAnswer = AnswerVector(
    name: "S1", timestamp: 1760000000, nonce: "d824f2e086d3c1df967785d13fcd22ef",
    body: "{\"prepay_id\":\"wx201410272009395522657a690389285100\"}",
    signature: #"""
      Q4FXsyT+mvuFyAV2Lh7+l+vG5PtNkYgD0Kyb27pod2NgTqWr6yIW5ODPNpjy5vUAKJ2gLIZaLBRJ117wUmc0uit5cMOCf0SV\#
      I67LVHwfAzTMbFSfzdFTMYe4jZhOQZx+N0UhX1a/ZPj/EQuuh17y4QRKb7njLglfUHlP+ZiRISNP0JL/fUw1oy9K9aYz9dtg\#
      ojmI3rE588oh+gKZzVmWON/TOByvYlyUKKWfrwbBgqpCuIbe1N1eNkylQx7FXzIIhMAjQGjZtGwCSXGYixrkEWFmhHobRBf/\#
      cuoY4eIBLhzLIjFkjgpnONlYf+s/xeHrtSCJs29/kNRC8I4w8xd12w==
      """#)

  static let closeAnswer = AnswerVector(
    name: "S2", timestamp: 1760000000, nonce: "c5ac7061fccab6bf3e254dcf98995b8c",
    body: "",
    signature: #"""
      Y6XVPrFUj4UvEXYFcC1hI/WGWK8KNS00kzLTDJgLymiF5ALzK8blh7TgIFZNOJazP25Dh8KuRbazpYcki5huoZGf7Arm7P/z\#
      NdfSLrKOSQeesgPiFwEM3FvhsUqwFBTcV82AhF2gG2dQOyhqxJY87HiqcCL7qLofxWAsHTVheobSZmpJQ+p6rUqr8gzPepmT\#
      x4LFUZbgylGmTeqtfziCuFdKeUEBsGmlAT3xLmpAMIUYVpM776KAMgDJTp2KnwlwUefehScvAUbzA/dnj3USg5ZMWBdF0Zx4\#
      rC/NQApjjJPfts7emiC6Cr4FopmE0kb+Abq/EvImIEjMedYkK+wmMw==
      """#)

  static let paymentNotification = AnswerVector(
    name: "N1", timestamp: 1760000000, nonce: "EcZ9Cmy4Xyx1i6RlJQzLcCyEqDa26NBz",
    body: #"""
      {"id":"00000000-0000-5000-8000-000000000001","create_time":"2025-10-09T16:53:12+08:00","resource\#
      _type":"encrypt-resource","event_type":"TRANSACTION.SUCCESS","summary":"支付成功","resource":{"origi\#
      nal_type":"transaction","algorithm":"AEAD_AES_256_GCM","ciphertext":"kdUy8AAEd+F97t+v/8pygRLubX8\#
      tC3RtMchS24m9Vng9nnZjOorRHO36oNaXApba+DHDjRbuQcOvBYq9jNsZHTq6Gh3XnvyyUSFF2L8JNPgKZOh8VRzWdBXpJ3K\#
      ZMm9pI1RE6ZRmf/5d7axZ2r1KTdvcN3vItIdjPlvhxKLOIxEcB6wGaNzBR/pKmqmDmAeNqtAt8y24n51krJdG6iXHGc5LUvZ\#
      VUdKPwRzdQ2xmQo7gbEjgRzVRw4wQx6q0NzdQ2btb/BEkWtpk4kQhg8vPNbJmN5iuUhUnsG+PO/XHYSXiPZcpC749vXUO8nB\#
      TrcTXG8FutqBaauHzfh896Wpwfmlpf2gXlbYC8Qti5Mk/8cC4fOy2RqQ+T8Hw1D5tewKz9CDm/I4LhDZznLkHXGWvPk6oow1\#
      tGGbNL/Df4HpS3Xox1jC0Xjtl6kHaWYeNk6RnH9yUDbwsqFOOszXb+yR7Tb8ZCDw6BdYwkv25XQTummLNwVzPexdvVnwe+nQ\#
      429dfCfxr7p7vHr7X8b/trZBY/n+U2OyuVE1a9O4sZAdorw+DCk7DA8KSSxrJLJzGIfURcHU=","associated_data":"tr\#
      ansaction","nonce":"fdasflkja484"}}
      """#,
    signature: #"""
      pQfCtvdy05gXg3T+rJVr58pq47zI9Bka+eItKBmFbQaXBAzcmc2QkgLb1Q7IKJUrzEjPYLtiMxX6n2vGbTiKy6L0SNmFqwT5\#
      la4IVRz037P6+aTEIYp6jcwoOxMVfh2OWFzUbz8ReO1dXxvKIuqzNtIypUNtiCZg6DkQeso8nz6mCgjDw/+12buIZCdb3BCE\#
      t+MZRzpEB+y2T/crvjw/Z1SEJ/a9hvRMQdKXITJEf2d2vzUMUF9sx5rvAp1QPF5I78OwgodPQHx+2KFxZ6cp8h6lJMwJQY8R\#
      R2aDIpVYVuKSyWZvtRUb366KfDLhL868SnAm/OYfsrSec0ZFLoNYUA==
      """#,
    plaintext: #"""
      {"mchid":"1900007291","appid":"wx2421b1c4370ec43b","out_trade_no":"ORD20251009000001","transacti\#
      on_id":"4200002500202510090000000001","trade_type":"APP","trade_state":"SUCCESS","trade_state_de\#
      sc":"支付成功","bank_type":"OTHERS","attach":"","success_time":"2025-10-09T16:53:10+08:00","payer":{\#
      "openid":"oUpF8uMuAJO_M2pxb1Q9zNjWeS6o"},"amount":{"total":600,"payer_total":600,"currency":"CNY\#
      ","payer_currency":"CNY"}}
      """#)

  static let refundNotification = AnswerVector(
    name: "N2", timestamp: 1760001000, nonce: "TAplOzQyIoDZyJcJhmqhfbIDYPSKPBXZ",
    body: #"""
      {"id":"00000000-0000-5000-8000-000000000002","create_time":"2025-10-09T17:10:00+08:00","resource\#
      _type":"encrypt-resource","event_type":"REFUND.SUCCESS","summary":"退款成功","resource":{"original_t\#
      ype":"refund","algorithm":"AEAD_AES_256_GCM","ciphertext":"3l09jgx7WRuDa5xaOAHEhLB0KLeaRd8+5mHq6\#
      uBMC7qfctZEZTnd6i4fBK/zsEbyT6YDZegPGcRM+IIWtG9Fmj9pPbqBzbC4PGuZjxEtFD5zRx6eRxtBigUbzVPyi6I5+hNk4\#
      9X6GKkcVhTsEAuf7H/1Q3mwrxK6YinZCZX22ISbBvrHfXpe//SsqLmuK/Oq6Then+fke7MaNAwpBMNmsvW0ozYpFbPwVkqBO\#
      ilhnUuuDh7RlUEx9xre0sUbIEG2DAAfKD2+k3wKU3STzOWhCUCUh0+HugDifqVRsITbj+EjoStdI0LzYBwZ19U8dBexeKB6q\#
      ERZDYdyfnmyQhwr15RSFmMfSTdqElGI/g4rU55hYo7MVt3l4ptaw+rS5/pQ6eygpxsQCCtTymy4IYOmH5vZS5rRWCKYWfjj+\#
      pIzed5uT0umbKP1bN69iu8QjZsls3/Vnlj6EQ7lyeiqZch3c4hicVWTTR9W5UIbWeWpvq6VR6nfzjvlamBvRfT+VllHcE7V"\#
      ,"associated_data":"refund","nonce":"1R4ypSzaQPtS"}}
      """#,
    signature: #"""
      D+liZHjNwZYxS0peqzfKr6DvHZbDypvqedr06ldomH9acB6ATcZwdRhFx5N1jQ9u7ucq/tUQ0oEBvrGSqf2ACmbgY3fuiqlx\#
      KAEmJaLyFnzFZAbnGD7f5IW28uh4n8JIi41q1vV0/pPwpqXrE/DCuBCOR921ty9zTKpt69DcypNFvU2/DJNST+yLgTvgEjks\#
      +uv/NdirUFaeqfYklyApq/ufl8APFEP6erI+sm2SiObQc793SsQVGG/IK68O3QTTtdO+x3iDdjlkRqQVjc3qCmzthjRohDMw\#
      rG2S2vkfsQ4ZpAJ+0iahKPL2FEj0Pc/TZtyhqB4YJAnWaPWDfJGjBQ==
      """#,
    plaintext: #"""
      {"mchid":"1900007291","out_trade_no":"ORD20251009000001","transaction_id":"420000250020251009000\#
      0000001","out_refund_no":"RF20251009000001","refund_id":"50300002502025100900000000001","refund_\#
      status":"SUCCESS","success_time":"2025-10-09T17:09:58+08:00","user_received_account":"支付用户零钱","a\#
      mount":{"total":600,"refund":600,"payer_total":600,"payer_refund":600}}
      """#)

  /// The app's signature over appId, 1554208460, nonce and the bare prepay id.
  static let appSignature = #"""
    gXx9KhTP6IooKV1SuG3OCGlBIgZbKtubCZvnau6khw1iffvNT28IzLbKmztq2xA/RCNbZa1XOsoiuVmAEeTZQicWfhv4P+O4\#
    oBRIrx0X9f3cnWFkMBU9alTWs0nyQ1N9fcILOTe0f4kxOhVh+/Xhn5hOiUK7Sz3XA1mcpa3R2NCWf/e+0ow/RDf15iTymOHg\#
    DrEkT/gedg/3E0iXfDX3mFicSZhrHESZDOTXcl9RzELREBUFznd/o2NQM99WcL86m23HY0cTy+QGWU4QDmNrbQ9ihmLW71qP\#
    b0Cx/d7EQvw/Kyx0A6s64ZQp3hHdcmiRcLnjVXrKCk7LShaCK+lS3Q==
    """#

  /// The page's signature, over `prepay_id=` and the same.
  static let jsapiSignature = #"""
    mI35pfNEQV6777ke/1T+LJLQDNTm7yeoUJH+j/adPGhmCCi0PbgkvYQTRcXH0uibcLVtvFLdGLpmoYO9FV6lBBsTAjuhh5YO\#
    vQi0e2g3e0yytitiNET9FEuqM0pjnKfRW4K6LIZDdbWJv9KhZUx3DrJa5TL7OJ7VdADVivxVySIlPVKjGwuCXzuXSJes0UcI\#
    LgWQUMyha5/3nYofuHtS7r+KYyMuxD+oJ9VM1Qdxk4UIG59CP5Y3wtYIFybyF3bdu1caHTRRX+DLyMXyYA/IrTmiW01c4RPj\#
    pHBX5Dk1sZyY1zVsWNsvMHr2e1NTWtBxKJ+qk5N61J7caYoepHFaxw==
    """#

  /// What encrypts the platform certificate, under nonce `61f9c719728a` and associated data `certificate`.
  static let sealedCertificate = #"""
    apVwAtajgZxjX4xAnJhcbMTaBfBewotlL+Yg5vNXio4/PbHXIftnnYROcuanagPsIRAiE2oCoMMXjj0Zzi9JZ93ckdx5jRDQ\#
    jBc6YUdZU5R/uOWUHxyF/HwZ83boDwyP/gLmPEViQ6jKW0uijOy3cnMBa6dyRD3EnOOJUHGSfBFv1GeQkCU8bd0Enqq+WAZ5\#
    a1BnGwzSMtLgkFz/o5GLrgTCYgevhwsDxv4g6hojKcwDhLMBtraUTgvpAB6kNIu2IxlnHkYYMZCsrKXIGsQ4bSMswftrZZYh\#
    U7NdJEu++nskT2tdyuAdE93i8pBLCw+ioQspWNW3yJzhLCIPeu86NJXFE2Q/kLXQbeCf1QaFCIsbidIoElZ2k9e/FxP4PJ6y\#
    885dNKUolykQ75ME4iiIS/6NBiTOeHRtxRKoz8eTBNRnyeYhr66Yx181gBFJXWas1qN4HZNghq+buek8Jn8+XrJmLcJUMLw9\#
    +8giuD9Dq273ruyHbixt+aTm454OgO4lci/Z3HKW3+CJ0aibcru0qQ607dBAAiEywVm4Y30ME18+gOvKb8/dCLfFtQ1SHQBC\#
    3R+JE1U+MWygFkQPYDnzgnj6g4tiJr+6D6c+gMVdsD4eMhowSZqo5gmjCBX1TVCbtOvZdImPiKY7QhQfKME3ZE1x+XTCGmzx\#
    RDpIAkcwUxGDOGHWTjn69p+fbzmU2BzItb2Nt0fJmvODzMaXzEIVQD2mtgegonfvYCsg2cptCW1YGy/B2ZU+12mUWTQDpgGv\#
    dUKYtpd7/bWbQ2S+I5/pjge88xqZ5RcmSj7Ih1NqIRfuvgsvlHHq4MQboO9nwje19LUpsQQB9e8eTL+gzEKOvsXEmCxOBvGJ\#
    sU/uISiROL+IzetIztdFT6Xkn/RSwnFrl4XubGhVqtZhehchiMwOqpGI6mlSoVHisWbmCwGiM0VVDazvycvTQHZBiE50aQ7F\#
    YkwWj583yjDEcf2TZsCeHx0x0bQ/iNU4vQlQHD/XxIYY1MVOKSQ2icuh5OsZgjyaSwhBTtJDcGuyJN7+fGsXz3Pvi5D8E1FR\#
    DAlCB0lgyo64qER23ZycK29m34z+w3xb/Qp0Z3UHQ+GQzjxr5IlaUfihsk9Bsaz+aOT8w4CkPPk+8XpoPyjE6e2xBY/g2e63\#
    OBaNy+ogYJmBC03hhwK1AgSL+ruBXlqkxMNDZKguWAnBPUASLtgqeo+MIGbfQGuycEkqayskgMvTNLoQOo7WxmqOQv9HvFR3\#
    tH/UpEaPcDBH9tkUgvVm+qrj+hVF5X3KMcQz6fnYhjiv/79jkhXOoMlHqKBiqyOyq6i4Z1CTjsBHHOf8p688XmXvNADdw5hn\#
    j1LDSmdGNuJiNhWrUhNiV7oAqzbdj0AGS3yhSIZIs3uDIHmP1+hn9hEfkGqsj+gv45TrOGKHR68ok8BT+QxJFzF0banc4ugj\#
    XvlQYsQEJKrE0gUjV2c=
    """#

  /// `test-name-张三`, encrypted to the merchant's key by OAEP.
  static let sealedName = #"""
    PQnPT2cJsCLIJvLZjOBaVqrW8wlp5jz4n1Bcs0UYAT88nsWB4/K/TvIaV9J98aGL/xn4tWj3RxHw9rico3vKafYLMse1LV+z\#
    CdNr3x3lkwgqkV2CwzZ2nOdqEDKjxn65drRTSg4EwOMuz7L9k3liB4bDWI2RNtZal3wcyotk5Ca0ROB8wzEOzLL9VBi6zDOn\#
    DlSXdtIjahuUfPkE5mAk/Cl6GogkWLPQPINDXx1jPgaYT+t4dHryYQjYivKJpqb7Quh/d7oQs3Sh3+otyZFyTq2PpeqQIMrH\#
    weBFH3O57sm8OIzpsB7cSDVMoNODlq8ZgkKlYfwHZLDRehhTBg6cAg==
    """#

  /// A trade bill without its byte order mark; its lines end in CR LF in the file.
  static let tradeBillLines = [
    #"""
    交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充\#
    值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率,订单金额,申请退款金额,费率备注
    """#,
    #"""
    `2025-10-09 16:53:10,`wx2421b1c4370ec43b,`1900007291,`0,`,`4200002500202510090000000001,`ORD2025\#
    1009000001,`oUpF8uMuAJO_M2pxb1Q9zNjWeS6o,`APP,`SUCCESS,`OTHERS,`CNY,`6.00,`0.00,`0,`0,`0.00,`0.0\#
    0,`,`,`测试商品-钻石x60,`,`0.03600,`0.60%,`6.00,`0.00,`
    """#,
    #"""
    `2025-10-09 17:09:30,`wx2421b1c4370ec43b,`1900007291,`0,`,`4200002500202510090000000001,`ORD2025\#
    1009000001,`oUpF8uMuAJO_M2pxb1Q9zNjWeS6o,`APP,`REFUND,`OTHERS,`CNY,`0.00,`0.00,`5030000250202510\#
    0900000000001,`RF20251009000001,`6.00,`0.00,`ORIGINAL,`SUCCESS,`测试商品-钻石x60,`,`-0.03600,`0.60%,`0\#
    .00,`6.00,`
    """#,
    "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额",
    "`2,`6.00,`6.00,`0.00,`0.00000,`6.00,`6.00",
  ]
}
