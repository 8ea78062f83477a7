#include "CTOML.h"

#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
// The parser descends once for each level of an array or inline table: its own bound protects the stack.
#define TOML_MAX_NESTED_VALUES 64
#include <toml++/toml.h>

struct CTOMLDocument {
  CTOMLOutcome outcome = CTOMLOutcomeParsed;
  toml::table root;                                // owns the strings that nodes point at
  std::vector<CTOMLNode> nodes;
  std::vector<std::unique_ptr<std::string>> made;  // dates and times as text
  uint32_t errorLine = 0;
  uint32_t errorColumn = 0;
  std::string errorMessage;
};

namespace {

struct Refused {
  CTOMLOutcome outcome;
  toml::source_position position;
};

// Walks over the text and refuses a key of too many dotted parts: the parser makes a table of each part and later frees
// them by recursion, without a bound of its own.
class DottedKeyScan {
 public:
  DottedKeyScan(std::string_view text, uint32_t depthMax) : text_(text), depthMax_(depthMax) {}

  void run() {
    while (position_ < text_.size()) {
      const char character = text_[position_];
      switch (character) {
        case '#': skipComment(); break;
        case '"':
        case '\'': skipString(character); break;
        case '.': dot(); break;
        case '\n': newLine(); break;
        case '=': case ',': case '[': case ']': case '{': case '}':
          dots_ = 0;
          ++position_;
          break;
        default: ++position_;
      }
    }
  }

 private:
  void dot() {
    if (++dots_ >= depthMax_) {
      throw Refused{CTOMLOutcomeTooDeep, {line_, static_cast<uint32_t>(position_ - lineStart_ + 1)}};
    }
    ++position_;
  }

  void newLine() {
    ++position_;
    ++line_;
    lineStart_ = position_;
    dots_ = 0;
  }

  void skipComment() {
    while (position_ < text_.size() && text_[position_] != '\n') ++position_;
  }

  // Behind the closing quotes; of a broken string behind its line, or behind the text. The parser says what is wrong.
  void skipString(char quote) {
    const bool multiLine = text_.substr(position_, 3) == std::string(3, quote);
    position_ += multiLine ? 3 : 1;
    while (position_ < text_.size()) {
      const char character = text_[position_];
      if (character == '\\' && quote == '"' && position_ + 1 < text_.size() && text_[position_ + 1] != '\n') {
        position_ += 2;
      } else if (character == '\n') {
        if (!multiLine) return;
        newLine();
      } else if (character != quote) {
        ++position_;
      } else if (!multiLine) {
        ++position_;
        return;
      } else if (text_.substr(position_, 3) == std::string(3, quote)) {
        position_ += 3;
        // One or two quotes may stand before the closing three.
        while (position_ < text_.size() && text_[position_] == quote) ++position_;
        return;
      } else {
        ++position_;
      }
    }
  }

  std::string_view text_;
  uint32_t depthMax_;
  uint32_t dots_ = 0;
  uint32_t line_ = 1;
  size_t position_ = 0;
  size_t lineStart_ = 0;
};

class Flattening {
 public:
  Flattening(CTOMLDocument &document, uint32_t depthMax, uint32_t nodesMax)
      : document_(document), depthMax_(depthMax), nodesMax_(nodesMax) {}

  void add(const toml::node &node, const toml::key *key, uint32_t depth) {
    if (depth > depthMax_) throw Refused{CTOMLOutcomeTooDeep, node.source().begin};
    if (document_.nodes.size() >= nodesMax_) throw Refused{CTOMLOutcomeTooManyNodes, node.source().begin};
    const size_t index = document_.nodes.size();
    document_.nodes.push_back(plain(node, key));
    if (const auto *table = node.as_table()) {
      document_.nodes[index].children = static_cast<uint32_t>(table->size());
      for (const auto &[name, value] : *table) add(value, &name, depth + 1);
    } else if (const auto *array = node.as_array()) {
      document_.nodes[index].children = static_cast<uint32_t>(array->size());
      for (const auto &value : *array) add(value, nullptr, depth + 1);
    }
  }

 private:
  CTOMLNode plain(const toml::node &node, const toml::key *key) {
    CTOMLNode result{};
    const auto begin = node.source().begin;
    result.line = begin.line;
    result.column = begin.column;
    if (key) {
      result.key = key->str().data();
      result.keyLength = key->str().size();
      result.keyLine = key->source().begin.line;
      result.keyColumn = key->source().begin.column;
    }
    switch (node.type()) {
      case toml::node_type::none:
      case toml::node_type::table: result.kind = CTOMLKindTable; break;
      case toml::node_type::array: result.kind = CTOMLKindArray; break;
      case toml::node_type::string: {
        const std::string &text = node.as_string()->get();
        result.kind = CTOMLKindString;
        result.text = text.data();
        result.textLength = text.size();
        break;
      }
      case toml::node_type::integer:
        result.kind = CTOMLKindInteger;
        result.integer = node.as_integer()->get();
        break;
      case toml::node_type::floating_point:
        result.kind = CTOMLKindFloat;
        result.number = node.as_floating_point()->get();
        break;
      case toml::node_type::boolean:
        result.kind = CTOMLKindBoolean;
        result.integer = node.as_boolean()->get() ? 1 : 0;
        break;
      case toml::node_type::date:
        result.kind = CTOMLKindLocalDate;
        keep(result, text(node.as_date()->get()));
        break;
      case toml::node_type::time:
        result.kind = CTOMLKindLocalTime;
        keep(result, text(node.as_time()->get()));
        break;
      case toml::node_type::date_time: {
        const toml::date_time &value = node.as_date_time()->get();
        result.kind = value.offset ? CTOMLKindMoment : CTOMLKindLocalMoment;
        keep(result, text(value.date) + "T" + text(value.time) + (value.offset ? text(*value.offset) : ""));
        break;
      }
    }
    return result;
  }

  void keep(CTOMLNode &node, std::string text) {
    document_.made.push_back(std::make_unique<std::string>(std::move(text)));
    node.text = document_.made.back()->data();
    node.textLength = document_.made.back()->size();
  }

  template <typename... Numbers>
  static std::string formatted(const char *format, Numbers... numbers) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned>(numbers)...);
    return buffer;
  }

  static std::string text(const toml::date &date) {
    return formatted("%04u-%02u-%02u", date.year, date.month, date.day);
  }

  static std::string text(const toml::time &time) {
    return formatted("%02u:%02u:%02u.%09u", time.hour, time.minute, time.second, time.nanosecond);
  }

  static std::string text(const toml::time_offset &offset) {
    const unsigned minutes = static_cast<unsigned>(offset.minutes < 0 ? -offset.minutes : offset.minutes);
    return (offset.minutes < 0 ? "-" : "+") + formatted("%02u:%02u", minutes / 60, minutes % 60);
  }

  CTOMLDocument &document_;
  uint32_t depthMax_;
  uint32_t nodesMax_;
};

void fail(CTOMLDocument &document, CTOMLOutcome outcome, toml::source_position position) {
  document.outcome = outcome;
  document.nodes.clear();
  document.errorLine = position.line;
  document.errorColumn = position.column;
}

}  // namespace

CTOMLDocument *ctomlParse(const char *bytes, size_t length, uint32_t depthMax, uint32_t nodesMax) {
  CTOMLDocument *document = new (std::nothrow) CTOMLDocument;
  if (!document) return nullptr;
  try {
    const std::string_view text(length ? bytes : "", length);
    DottedKeyScan(text, depthMax).run();
    document->root = toml::parse(text);
    Flattening(*document, depthMax, nodesMax).add(document->root, nullptr, 1);
  } catch (const toml::parse_error &error) {
    fail(*document, CTOMLOutcomeSyntaxError, error.source().begin);
    try {
      document->errorMessage = error.what();
    } catch (const std::bad_alloc &) {
      document->outcome = CTOMLOutcomeOutOfMemory;
    }
  } catch (const Refused &refused) {
    fail(*document, refused.outcome, refused.position);
  } catch (...) {
    // What is left is the standard library's own: no memory, or a length beyond what a string can hold.
    fail(*document, CTOMLOutcomeOutOfMemory, {});
  }
  return document;
}

void ctomlFree(CTOMLDocument *document) { delete document; }

CTOMLOutcome ctomlOutcome(const CTOMLDocument *document) { return document->outcome; }

const CTOMLNode *ctomlNodes(const CTOMLDocument *document) { return document->nodes.data(); }

size_t ctomlNodeCount(const CTOMLDocument *document) { return document->nodes.size(); }

uint32_t ctomlErrorLine(const CTOMLDocument *document) { return document->errorLine; }

uint32_t ctomlErrorColumn(const CTOMLDocument *document) { return document->errorColumn; }

const char *ctomlErrorMessage(const CTOMLDocument *document) { return document->errorMessage.c_str(); }
