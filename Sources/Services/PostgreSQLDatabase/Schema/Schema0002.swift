/// The second step of the schema: what several nodes keep about each other.
enum Schema0002 {
  static let statements = [
    "ALTER TABLE nodes ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0",
    """
    ALTER TABLE nodes ADD COLUMN state TEXT COLLATE "C" NOT NULL DEFAULT 'active'
      CHECK (state IN ('active', 'draining', 'left', 'gone'))
    """,
    // Who holds the lease; it ends early if that node is gone.
    "ALTER TABLE deliveries ADD COLUMN lease_node BIGINT",
    "ALTER TABLE notification_forwards ADD COLUMN lease_node BIGINT",
    """
    CREATE INDEX deliveries_of_node ON deliveries (lease_node, lease_until)
      WHERE state = 'pending' AND lease_node IS NOT NULL
    """,
    """
    CREATE INDEX notification_forwards_of_node ON notification_forwards (lease_node, lease_until)
      WHERE state = 'pending' AND lease_node IS NOT NULL
    """,
    // When the store was last asked about an order, by any node.
    "ALTER TABLE wechat_pay_orders ADD COLUMN asked_at BIGINT",
  ]
}
