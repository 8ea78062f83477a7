// The tables of schema.sql, over JDBC. It takes any DataSource: a pool, or a driver's own as PlainServer.java does.

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

public final class Book {
  private final DataSource database;

  /** @param schema the text of schema.sql */
  public Book(DataSource database, String schema) throws SQLException {
    this.database = database;
    try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
      for (String one : schema.replaceAll("--[^\n]*", "").split(";")) {
        if (!one.isBlank()) statement.execute(one);
      }
    }
  }

  public record OrderNumber(String number, String payerAddress) {}

  /** The number of the order under that key, and the payer's address at its first request. */
  OrderNumber orderNumber(String user, String phoneKey, String address) throws SQLException {
    try (Connection connection = database.getConnection()) {
      try (PreparedStatement insert = connection.prepareStatement(
          "INSERT INTO order_number VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")) {
        set(insert, user, phoneKey, "M-" + UUID.randomUUID(), address);
        insert.executeUpdate();
      }
      try (PreparedStatement select = connection.prepareStatement(
          "SELECT number, payer_address FROM order_number WHERE user_id = ? AND phone_key = ?")) {
        set(select, user, phoneKey);
        try (ResultSet row = select.executeQuery()) {
          if (!row.next()) throw new SQLException("the number that was written is not there");
          return new OrderNumber(row.getString(1), row.getString(2));
        }
      }
    }
  }

  /** Stores the delivery and changes the wallet in one transaction. A repeated delivery changes nothing. */
  void book(Map<String, Object> delivery, String text) throws SQLException {
    Gift gift = new Gift(delivery);
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      try {
        if (isNew(connection, delivery, text)) change(connection, delivery, gift);
        connection.commit();
      } catch (SQLException | RuntimeException failure) {
        connection.rollback();
        throw failure;
      }
    }
  }

  private static boolean isNew(Connection connection, Map<String, Object> delivery, String text) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(
        "INSERT INTO delivery VALUES (?, ?) ON CONFLICT DO NOTHING")) {
      set(insert, delivery.get("id"), text);
      return insert.executeUpdate() == 1;
    }
  }

  private static void change(Connection connection, Map<String, Object> delivery, Gift gift) throws SQLException {
    long knownSequence = 0;
    long knownInForce = 0;
    try (PreparedStatement select = connection.prepareStatement(
        "SELECT sequence, in_force FROM holding WHERE store = ? AND transaction_id = ? AND user_id = ?")) {
      set(select, gift.store, gift.transaction, gift.user);
      try (ResultSet row = select.executeQuery()) {
        if (row.next()) {
          knownSequence = row.getLong(1);
          knownInForce = row.getLong(2);
        }
      }
    }
    // The totals of the highest sequence count: an earlier delivery may arrive later.
    if (gift.sequence <= knownSequence) return;
    try (PreparedStatement upsert = connection.prepareStatement(
        "INSERT INTO holding VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (store, transaction_id, user_id) DO UPDATE SET"
            + " sequence = excluded.sequence, in_force = excluded.in_force, expires_at = excluded.expires_at")) {
      set(upsert, gift.store, gift.transaction, gift.user, gift.gives, gift.sequence, gift.inForce, gift.expiresAt);
      upsert.executeUpdate();
    }
    if (!gift.isUnits) return;
    try (PreparedStatement upsert = connection.prepareStatement("INSERT INTO wallet VALUES (?, ?, ?)"
        + " ON CONFLICT (user_id, unit) DO UPDATE SET amount = wallet.amount + excluded.amount")) {
      set(upsert, gift.user, gift.gives, gift.inForce - knownInForce);
      upsert.executeUpdate();
    }
  }

  Map<String, Long> balances(String user) throws SQLException {
    Map<String, Long> balances = new LinkedHashMap<>();
    try (Connection connection = database.getConnection();
        PreparedStatement select = connection.prepareStatement("SELECT unit, amount FROM wallet WHERE user_id = ?")) {
      set(select, user);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) balances.put(rows.getString(1), rows.getLong(2));
      }
    }
    return balances;
  }

  private static void set(PreparedStatement statement, Object... values) throws SQLException {
    for (int index = 0; index < values.length; index++) statement.setObject(index + 1, values[index]);
  }

  /** What a delivery says that a payment gives after it. */
  private static final class Gift {
    final String store;
    final String transaction;
    final String user;
    final boolean isUnits;
    final String gives;
    final long sequence;
    final long inForce;
    final String expiresAt;

    Gift(Map<String, Object> delivery) {
      store = Json.text(delivery, "store");
      transaction = Json.text(delivery, "transactionId");
      user = Json.text(delivery, "userId");
      sequence = Json.whole(delivery, "sequence");
      isUnits = delivery.get("units") instanceof Map;
      Map<String, Object> content = Json.members(delivery, isUnits ? "units" : "entitlement");
      gives = Json.text(content, isUnits ? "unit" : "name");
      long allOfIt = isUnits ? Json.whole(content, "amount") : 1;
      inForce = "grant.created".equals(delivery.get("type")) ? allOfIt : Json.whole(delivery, "inForce");
      expiresAt = content.containsKey("expiresAt") ? Json.text(content, "expiresAt") : null;
    }
  }
}
