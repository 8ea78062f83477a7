#pragma once
// What must be refused before toml++ sees a text.
#include "CTOML.h"

#include <string>
#include <string_view>

struct Refused {
  CTOMLOutcome outcome;
  uint32_t line;
  uint32_t column;
};

// One pass over the text, which refuses a key of too many dotted parts: the parser makes a table of each part and later
// frees them by recursion, without a bound of its own. On a text that is not TOML it may lose its way, but only behind
// the place where the parser stops.
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
    if (++dots_ >= depthMax_) throw Refused{CTOMLOutcomeTooDeep, line_, column()};
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
    const std::string three(3, quote);
    const bool multiLine = text_.substr(position_, 3) == three;
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
      } else if (text_.substr(position_, 3) == three) {
        position_ += 3;
        // One or two quotes may stand before the closing three.
        while (position_ < text_.size() && text_[position_] == quote) ++position_;
        return;
      } else {
        ++position_;
      }
    }
  }

  // Characters, not bytes: those within a character do not count.
  uint32_t column() const {
    uint32_t column = 1;
    for (size_t index = lineStart_; index < position_; ++index) {
      if ((static_cast<unsigned char>(text_[index]) & 0xC0) != 0x80) ++column;
    }
    return column;
  }

  std::string_view text_;
  uint32_t depthMax_;
  uint32_t dots_ = 0;
  uint32_t line_ = 1;
  size_t position_ = 0;
  size_t lineStart_ = 0;
};
