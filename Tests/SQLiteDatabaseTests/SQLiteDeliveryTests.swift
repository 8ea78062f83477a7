import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

/// A payment under a number, and its delivery.
private func rows(_ number: Int) -> String {
  """
  INSERT INTO payment_keys VALUES (\(number), 'game', 'appStore', 'production', '\(number)');
  INSERT INTO payments (id, app, environment, original, store_product, kind, quantity, purchase_date, signed_date,
    ownership, is_renewal, is_upgraded, state, owner, first_seen_at, last_sequence)
  VALUES (\(number), 'game', 'production', \(number), 'com.example.coins', 'consumable', 1, 0, 0, 'purchased', 0, 0,
    'fulfilled', 'alice', 0, 1);
  INSERT INTO deliveries (delivery_id, payment, app, environment, kind, sequence, body, created_at, state, attempts,
    next_attempt_at)
  VALUES ('dlv_\(number)', \(number), 'game', 'production', 'created', 1, '{}', 0, 'pending', 0, 0);

  """
}

@Suite struct `The blocks of payments, by which SQLite finds a delivery` {
  @Test func `hold none twice, and find each by its id, in the youngest and in the oldest block`() async throws {
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      await (try await openSQLite(at: path, clock: TestClock())).close()
      let numbers = [1, 8191, 8192, 16_383, 16_384, 900_000, 3_000_000]
      _ = try runSQL(numbers.map(rows).joined(), on: path)
      let again = rows(1).replacingOccurrences(of: "'created', 1", with: "'created', 2")
      #expect(throws: SQLFailure.self) {
        try runSQL(String(again[again.range(of: "INSERT INTO del")!.lowerBound...]), on: path)
      }
      let database = try await openSQLite(at: path, clock: TestClock())
      let found = try await database.read { reading throws in
        try (numbers.map { "dlv_\($0)" } + ["dlv_2"]).map { try reading.delivery(DeliveryIdentifier($0))?.id.text }
      }
      #expect(found == numbers.map { "dlv_\($0)" } + [nil])
      // The result is written where the delivery was found.
      for number in numbers {
        try await database.commit { transaction throws in
          var delivery = try #require(try transaction.delivery(DeliveryIdentifier("dlv_\(number)")))
          delivery.state = .acknowledged(at: at(5))
          try transaction.update(delivery)
        }
      }
      #expect(try await database.read { try $0.deliveryBacklog(in: production).pending } == 0)
      await database.close()
    }
  }
}
