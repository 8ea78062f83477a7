/// Key files of kinds that need their own error, made by the `openssl` program for these tests. They protect nothing.
/// RSA keys are made from seeds instead (`RSAPrivateKey.init(randomBytes:)`).
enum KeyFilesMadeForTests {
  /// A key on P-256 encrypted with a passphrase, in the current form.
  static let lockedPKCS8 = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAigJOGnYq9C6gICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEClVCLQYE0VcTNe2sYejxPUEgZAD
    Gecb+K8/b3yFfuxCaOCfyvqP4PTEI01ouBx6QbiIUA4QJNRQY8//QhM33lRgxVIw
    hJSs7lMQ17SVh9Gy9Jaq2AoGafidE2Z0Emc/SVQ/3nkC3nYCoo90u/cslMNlsYjr
    LLDE/mmCFOggXvAwpLsF/30fhbNalzfDffA62HkBQm7Q5GNOhSp+5gDd0H6o7SE=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  /// The same in the old form, which states the encryption in header lines.
  static let lockedSEC1 = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,AAB26AEE40899F42174993AABD6DB0A6

    k/5XbHecgF/Ng15RZZLoXT6bFYF3nrHjUn5wgTScmQ2p8TmuX92Ho/jvd4nMUQXE
    vZvTrvi6pZCFREfC8gAdIzLVxCgGcs8soRAjYDyH2iU7mieqbDa4CpL+VMUIwAca
    mdesCe40FFM0x5yjNQqaPo5MS4DBGm888T1cy3eQMz8=
    -----END EC PRIVATE KEY-----
    """

  /// A PKCS#12 container in Base64.
  static let container = """
    MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcN\
    AQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjh7xvk17pU1wICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQME\
    ASoEEERJUgVgDF/rS2f8e44aZOSAggHwesux6z0iRLkz786UdCsYmA7/Eg9Co+JJLpAYWUHds3h6ajRGtuCIgZt3MWcUa+Lk\
    xN2mSPEboTcDZmD4BgnshWP+vfInWOXpRTw2WN3Orwj/fv4skR7iyb4TUyGj1LwI+bJRcXfkadm5N4vXaMJzxOMWwoWaYpEb\
    RaDPXgiJcJ0/XK28WctbkQ/yLhtYzT+5nA08cZG1glKILEYjgoDK4z1hiCWj8VqbWzMbS6bx9b4wFDR/973sg4Sh8buxq8Ry\
    tFe5l9PB54NGdo2q6gzGNqqiwJK+vN+wp1AD4WAxnR46FZIICqrGEer6ojjfNU3WaOlYj6dFi/y1K/FMpuqgigdIJj08LTIR\
    CTrtieE3yNNJq/bpHKR3L/n145umcyk/WN+2fqvPLMgRSF9wqdmIgdkLKQ/h9lVCpTAju6ZjHel8i4PZdCv4O+UaWUErX+4M\
    8P1ejUAm7zWE78G3o/URqSnOXSPyUw3xFzqtF8IwuCaKmy4JjUV3pUF64aHbLvhSFFaO0k3sjZAhEXdbWS4RNIgEOOdX+y/5\
    e1CeJ8k1m55uVak444+vf0fFW16i43wsM3z/vb4BRufzquulgX3DUWTe8l7MUKjFB8Xi4F9MvwueSQtIGNTnS9htG3kSna9Y\
    li5Bu+5GDrO7mLZM4oy+LjCCAUEGCSqGSIb3DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqG\
    SIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhfvNA/xRtJigICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELGaL1TD\
    LJQ9UnPnOohjQf0EgZCpswkTRybz9qXJpmqw31olNrmVc4RzWvORYwxPa554toeOxGnSZsvmLxi/+5dO1+6YRwNrA0AjcLmH\
    4nFFpUw11ixNebqGu34KQG6b22ryAux06n815ADGmAew0BH2hB9IGJ5tmO8gWyWwDaPvF0FTclkFgPjhNgXfk6T6S45Y5HkP\
    LI1pMVPGNvaTMhWfEE8xJTAjBgkqhkiG9w0BCRUxFgQUgPkVii/iBYeVkDQk0gQF087HpkAwQTAxMA0GCWCGSAFlAwQCAQUA\
    BCA77wp2A+gA1+tOearQAku6/PwRHgoyvxj9SVfuP6FiOQQI1LMEZISLNUQCAggA
    """
}
