/// Everything that `/metrics` shows. The names never change: alerts and dashboards use them.
package enum Metric: String, Hashable, CaseIterable, Sendable {
  case alertMessagesTotal = "counterfoil_alert_messages_total"
  case appStoreAnswersRefusedTotal = "counterfoil_app_store_answers_refused_total"
  case appStoreCallSeconds = "counterfoil_app_store_call_seconds"
  case appStoreCallsTotal = "counterfoil_app_store_calls_total"
  case backupVerifiedTimestampSeconds = "counterfoil_backup_verified_timestamp_seconds"
  case buildInfo = "counterfoil_build_info"
  case certificateExpiryTimestampSeconds = "counterfoil_certificate_expiry_timestamp_seconds"
  case certificateStatusQuestionsTotal = "counterfoil_certificate_status_questions_total"
  case certificateStatusUnknownTotal = "counterfoil_certificate_status_unknown_total"
  case changesStoppedTotal = "counterfoil_changes_stopped_total"
  case clockSetBackTotal = "counterfoil_clock_set_back_total"
  case commitSeconds = "counterfoil_commit_seconds"
  case commitUnknownTotal = "counterfoil_commit_unknown_total"
  case complaintsOpen = "counterfoil_complaints_open"
  case configReloadSuccessful = "counterfoil_config_reload_successful"
  case configReloadTimestampSeconds = "counterfoil_config_reload_timestamp_seconds"
  case configurationGapsTotal = "counterfoil_configuration_gaps_total"
  case consumptionAnswersTotal = "counterfoil_consumption_answers_total"
  case creditsTotal = "counterfoil_credits_total"
  case promotionalGivenTotal = "counterfoil_promotional_entitlements_given_total"
  case databaseBytes = "counterfoil_database_bytes"
  case databaseLogBytes = "counterfoil_database_log_bytes"
  case databaseLostCommitsTotal = "counterfoil_database_lost_commits_total"
  case databaseRoundTripsTotal = "counterfoil_database_round_trips_total"
  case databaseTransactionsWaiting = "counterfoil_database_transactions_waiting"
  case databaseUnknownCommitsTotal = "counterfoil_database_unknown_commits_total"
  case debitsTotal = "counterfoil_debits_total"
  case debtsWrittenOffTotal = "counterfoil_debts_written_off_total"
  case deliveriesParked = "counterfoil_deliveries_parked"
  case deliveriesParkedTotal = "counterfoil_deliveries_parked_total"
  case deliveriesPending = "counterfoil_deliveries_pending"
  case deliveriesTotal = "counterfoil_deliveries_total"
  case deliveryBreakerOpenedTotal = "counterfoil_delivery_breaker_opened_total"
  case deliverySeconds = "counterfoil_delivery_seconds"
  case diskFreeBytes = "counterfoil_disk_free_bytes"
  case eventsSentTotal = "counterfoil_events_sent_total"
  case forwardedUnheededTotal = "counterfoil_forwarded_unheeded_total"
  case forwardsParked = "counterfoil_forwards_parked"
  case forwardsParkedTotal = "counterfoil_forwards_parked_total"
  case forwardsPending = "counterfoil_forwards_pending"
  case forwardsTotal = "counterfoil_forwards_total"
  case grantToAcknowledgedSeconds = "counterfoil_grant_to_acknowledged_seconds"
  case httpRequestSeconds = "counterfoil_http_request_seconds"
  case httpRequestsTotal = "counterfoil_http_requests_total"
  case invariantViolationTotal = "counterfoil_invariant_violation_total"
  case notificationsNotUnderstoodTotal = "counterfoil_notifications_not_understood_total"
  case notificationsTotal = "counterfoil_notifications_total"
  case observedGrantsTotal = "counterfoil_observed_grants_total"
  case observedUnitsTotal = "counterfoil_observed_units_total"
  case offersSignedTotal = "counterfoil_offers_signed_total"
  case oldestComplaintSeconds = "counterfoil_oldest_complaint_seconds"
  case oldestUndeliveredSeconds = "counterfoil_oldest_undelivered_seconds"
  case oldestWaitingPaymentSeconds = "counterfoil_oldest_waiting_payment_seconds"
  case ordersCreatedTotal = "counterfoil_orders_created_total"
  case paymentsTotal = "counterfoil_payments_total"
  case paymentsWaiting = "counterfoil_payments_waiting"
  case phoneDiagnosticsTotal = "counterfoil_phone_diagnostics_total"
  case processCpuSecondsTotal = "process_cpu_seconds_total"
  case processResidentMemoryBytes = "process_resident_memory_bytes"
  case processStartTimeSeconds = "process_start_time_seconds"
  case purchaseToGrantSeconds = "counterfoil_purchase_to_grant_seconds"
  case receiptEntriesUnreadableTotal = "counterfoil_receipt_entries_unreadable_total"
  case reconciliationsTotal = "counterfoil_reconciliations_total"
  case refundsWithoutPaymentTotal = "counterfoil_refunds_without_payment_total"
  case retentionRowsTotal = "counterfoil_retention_rows_total"
  case stoppedChangeRetriesTotal = "counterfoil_stopped_change_retries_total"
  case stoppedChanges = "counterfoil_stopped_changes"
  case storeFailing = "counterfoil_store_failing"
  case storeFailuresTotal = "counterfoil_store_failures_total"
  case storeWritable = "counterfoil_store_writable"
  case traceSpansDroppedTotal = "counterfoil_trace_spans_dropped_total"
  case traceSpansExportedTotal = "counterfoil_trace_spans_exported_total"
  case transactionsTotal = "counterfoil_transactions_total"
  case verifyFailuresTotal = "counterfoil_verify_failures_total"
  case wechatPayCallsTotal = "counterfoil_wechat_pay_calls_total"
  case wechatPayCertificatesTotal = "counterfoil_wechat_pay_certificates_total"
  case wechatPayContradictionsTotal = "counterfoil_wechat_pay_contradictions_total"
  case wechatPayForeignNumbersTotal = "counterfoil_wechat_pay_foreign_numbers_total"
  case wechatPayProbesTotal = "counterfoil_wechat_pay_probes_total"
  case wechatPayUnknownStatesTotal = "counterfoil_wechat_pay_unknown_states_total"

  package enum Kind: String, Sendable {
    case counter
    case gauge
    case histogram
  }

  /// By the suffixes that Prometheus names: `_total` counts, and a time that is measured is a histogram.
  package var kind: Kind {
    if rawValue.hasSuffix("_total") { return .counter }
    return Self.timings.contains(self) ? .histogram : .gauge
  }

  /// Upper bounds of the buckets in seconds. What waits for people or networks takes longer than a request.
  var bounds: [Double] {
    switch self {
    case .purchaseToGrantSeconds, .grantToAcknowledgedSeconds:
      [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400, 604_800]
    case .deliverySeconds, .appStoreCallSeconds: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    default: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    }
  }

  private static let timings: Set<Metric> = [
    .appStoreCallSeconds, .commitSeconds, .deliverySeconds, .grantToAcknowledgedSeconds, .httpRequestSeconds,
    .purchaseToGrantSeconds,
  ]
}
