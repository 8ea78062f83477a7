package import PaymentPrimitives

/// The configuration that `counterfoil init` writes.
package enum ConfigurationTemplate {
  // Placeholders; `config` and `doctor` reject them in production.
  static let bundleId = "com.example.app"
  static let appAppleId: Int64 = 1
  static let issuerId = "00000000-0000-0000-0000-000000000000"
  static let keyId = "0000000000"
  static let mchid = "0000000000"
  static let appid = "wx0000000000000000"
  static let publicKeyId = "PUB_KEY_ID_0000000000000000000000000000"

  /// A configuration that works as soon as bundle id and Apple id are right.
  package static func text(at now: Timestamp) -> String {
    """
    # Counterfoil. Unknown keys are refused. `counterfoil config explain KEY` explains one, with its values and default.
    profile = "production"
    address = "127.0.0.1"          # put a proxy with TLS in front, or set [tls] and a public address
    port = 8080
    database = "counterfoil.db"
    # The proxies in front: addresses and blocks (10.0.0.0/8). The server trusts client addresses from these alone.
    # Without them all clients count as one caller, and H5 orders at WeChat Pay have no payer's address and are refused.
    trusted_proxies = ["127.0.0.1", "::1"]
    # forwarded_header = "X-Forwarded-For"   # or "Forwarded" (RFC 7239); or proxy_protocol = true, version 1 or 2
    # connection_share = 25         # percent of all connections that one address may hold; proxies are exempt

    \(backupTemplate)# [tls]
    # certificate = "chain.pem"
    # key = "key.pem"

    [[app]]
    id = "my-app"                   # in every answer and delivery; never change it
    bundle_id = "\(bundleId)"   # <- your bundle id
    app_apple_id = \(appAppleId)                # <- your app's Apple ID (App Store Connect, App Information)
    deliver_from = \(now.iso8601)  # what was bought before, your earlier system has delivered
    # mode = "observe"              # only watch beside an earlier system: see docs/moving-here.md
    claims = "standard"             # or "strict": purchases without an order need a device proof
    token_meaning = "order"         # or "user": your app has put its own user UUIDs into appAccountToken for years
    sandbox_purchases = "separate"  # or "refuse"; or shown in the app, beside the real ones and marked:
    # "testers" with sandbox_testers = ["a user id"], "review" with sandbox_until (at most 30 days ahead)
    finish_when = "granted"         # or "kept": phones finish what is kept, though not yet decided
    restore = "keepOwner"           # for a second user of one Apple account; or "transfer" (once a day), or "share"

    [[app.user_token_key]]
    kid = "my-app-1"                # your backend writes it into the header of its user tokens
    algorithm = "HS256"             # or "ES256" with public_key_file
    secret = { file = "user-token.secret" }

    # Where deliveries go. Leave it out if your backend pulls them (POST /v1/deliveries/claim).
    # [[app.endpoint]]
    # name = "backend"
    # url = "https://backend.example/counterfoil"
    # secrets = [{ file = "webhook.secret" }]

    \(storeTemplate)
    [[app.product]]
    id = "coins.100"
    # wechat_price_fen = 600
    # wechat_description = "100 金币"
    kind = "consumable"             # consumable, nonConsumable, autoRenewable, nonRenewing
    app_store_product_ids = ["\(bundleId).coins100"]
    units = { unit = "coin", amount = 100 }
    debt = "negative"               # after a refund of what was spent; or "clamp" (to zero), "freeze" (until settled)
    # sold = false                  # stops selling it; take nothing out that was bought, it goes on under its entry

    [[app.product]]
    id = "premium"
    kind = "nonConsumable"
    app_store_product_ids = ["\(bundleId).premium"]
    entitlement = "premium"

    """
  }

  private static let backupTemplate = """
    # [backup]                      # the server copies the database by itself and verifies each copy
    # folder = "/var/backups/counterfoil"   # best on another disk
    # every = "6h"
    # keep = 14


    """

  /// The access to the stores' servers; an app can start without it.
  private static let storeTemplate = """
    # Apple's servers: needed to complete receipts, to find lost notifications and refunds.
    # [app.app_store]
    # issuer_id = "\(issuerId)"   # App Store Connect: Users and Access, Integrations
    # key_id = "\(keyId)"
    # private_key = { file = "SubscriptionKey_\(keyId).p8" }
    # released = true                              # false until the app is on sale for the first time
    # host = "http://127.0.0.1:8081"               # only in a simulated profile: where the simulator answers
    # verify_receipt = "never"                     # or "lastResort": Apple's withdrawn service, also without a key
    # shared_secret = { file = "shared.secret" }   # only with verify_receipt, for subscriptions
    # user_offers = ["winter-24"]                  # promotional offers that a user may request
    # answer_consumption_requests = true           # send consumption data to Apple, if the user consented
    # refund_preference = "none"                   # or "decline", "prorated": what you would rather have Apple decide
    # sample_content_provided = false              # true if customers can try before they buy

    # Only while you move here: every verified App Store notification goes on to your earlier system, as it came.
    # [app.forward_notifications_to]
    # url = "https://earlier.example/app-store-notifications"

    # Only if links to this server open your app; WeChat returns by such a link. They belong to [[app]].
    # team_id = "ABCDE12345"
    # universal_link_paths = ["/app/*"]

    # Only if you sell through WeChat Pay (Android, web, mini programs).
    # [app.wechat_pay]
    # mchid = "\(mchid)"
    # private_key = { file = "apiclient_key.pem" }
    # certificate_file = "apiclient_cert.pem"
    # api_v3_keys = [{ file = "api-v3.key" }]      # the newest first; during a change also the one before it
    # appid = "\(appid)"                 # of your app; appids = { jsapi = "wx…" } for a mini program
    # notify_origin = "https://pay.example.com"    # how WeChat Pay reaches this server
    # [[app.wechat_pay.public_key]]                # leave it out if your merchant number uses platform certificates
    # id = "\(publicKeyId)"
    # file = "wechat-pay-public.pem"

    """
}
