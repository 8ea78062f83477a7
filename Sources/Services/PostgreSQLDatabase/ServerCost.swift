import SQLRows

/// What a server has spent until now.
package struct ServerCost: Sendable {
  /// The processor time of its processes that live; nil where it is no Linux, or its role may not read that.
  package let processorMicroseconds: Int64?
  /// The bytes of its log of changes (WAL).
  package let logBytes: Int64
  /// The bytes of the schema's tables with their indexes.
  package let bytes: Int64
}

enum ServerCostSQL {
  /// Linux counts in hundredths of a second.
  static let processor = SQL(
    """
    SELECT (sum(split_part(p.stat, ' ', 14)::bigint + split_part(p.stat, ' ', 15)::bigint) * 10000)::bigint
    FROM pg_stat_activity AS a
    CROSS JOIN LATERAL (SELECT pg_read_file('/proc/' || a.pid || '/stat', 0, 1000, true) AS stat) AS p
    """)
  static let sizes = SQL(
    """
    SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint,
      (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
       WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace)
    """)
}
