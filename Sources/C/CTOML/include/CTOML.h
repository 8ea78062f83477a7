#pragma once
// A C interface over toml++ (header only, C++): one call parses a text into a flat list of nodes in pre-order.
// No exception leaves it. Only the Swift module Configuration uses it.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CTOMLKind {
  CTOMLKindTable,
  CTOMLKindArray,
  CTOMLKindString,
  CTOMLKindInteger,
  CTOMLKindFloat,
  CTOMLKindBoolean,
  CTOMLKindMoment,         // date and time with an offset from UTC
  CTOMLKindLocalMoment,    // date and time without an offset
  CTOMLKindLocalDate,
  CTOMLKindLocalTime,
} CTOMLKind;

typedef enum CTOMLOutcome {
  CTOMLOutcomeParsed,
  CTOMLOutcomeSyntaxError,    // not TOML; line, column and message say why
  CTOMLOutcomeTooDeep,        // tables, arrays or dotted keys nested deeper than allowed
  CTOMLOutcomeTooManyNodes,
  CTOMLOutcomeOutOfMemory,
} CTOMLOutcome;

// A key or a value: the children of a table or array follow it, each with its own children before the next.
typedef struct CTOMLNode {
  CTOMLKind kind;
  uint32_t children;
  uint32_t line;           // of the value, from 1; 0 when the parser does not say
  uint32_t column;         // characters, from 1
  const char *key;         // bytes of UTF-8, not terminated; NULL for the root and for items of arrays
  size_t keyLength;
  uint32_t keyLine;
  uint32_t keyColumn;
  const char *text;        // of a string: its bytes, not terminated; of dates and times: as RFC 3339 writes them
  size_t textLength;
  int64_t integer;         // of an integer; 0 or 1 of a boolean
  double number;           // of a float
} CTOMLNode;

typedef struct CTOMLDocument CTOMLDocument;

// Parses UTF-8 text. The nodes live until ctomlFree. NULL only when there is not even memory for the outcome.
CTOMLDocument *ctomlParse(const char *bytes, size_t length, uint32_t depthMax, uint32_t nodesMax);
void ctomlFree(CTOMLDocument *document);

CTOMLOutcome ctomlOutcome(const CTOMLDocument *document);
// The nodes in pre-order, the root table first; none unless the outcome is CTOMLOutcomeParsed.
const CTOMLNode *ctomlNodes(const CTOMLDocument *document);
size_t ctomlNodeCount(const CTOMLDocument *document);
// Where the parser stopped, and its words; empty unless the outcome is CTOMLOutcomeSyntaxError or CTOMLOutcomeTooDeep.
uint32_t ctomlErrorLine(const CTOMLDocument *document);
uint32_t ctomlErrorColumn(const CTOMLDocument *document);
const char *ctomlErrorMessage(const CTOMLDocument *document);

#ifdef __cplusplus
}
#endif
