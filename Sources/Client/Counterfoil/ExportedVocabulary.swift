// The client's API uses these types and their literals: `"alice"` is a user, `"coins60"` a product. Re-exported
// because new Xcode projects hide what a file does not import (`MEMBER_IMPORT_VISIBILITY`).
@_exported public import PaymentPrimitives
