// The test bench shows requests and answers of the server with the contract's types. A test reads
// `bench.server.orders[0].id` without an import of its own.
@_exported public import CounterfoilAPI
