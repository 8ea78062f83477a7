// Whoever imports the library sees its words, too: `"alice"` is a user and `"coins60"` a product by them. New projects
// in Xcode hide what a file does not import (`MEMBER_IMPORT_VISIBILITY`).
@_exported public import PaymentPrimitives
