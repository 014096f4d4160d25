#===- tools/dev/wordpiece.py - BERT's uncased WordPiece tokenizer, for the demo ---===#
# SPDX-License-Identifier: Apache-2.0
"""Text to token ids as in Devlin et al., "BERT" (2018): clean, lower-case, strip accents, split at blanks and punctuation, then
cover each word greedily with the longest pieces of the vocabulary."""

import unicodedata

LONGEST_WORD = 100


def is_cjk(character):
    point = ord(character)
    return any(low <= point <= high for low, high in (
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
        (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))


def is_punctuation(character):
    ascii_symbol = character.isascii() and character.isprintable() and not character.isalnum() and character != " "
    return ascii_symbol or unicodedata.category(character).startswith("P")


def is_dropped(character):
    """Control characters and accents; tabs and newlines are blanks and stay."""
    if character in "\t\n\r":
        return False
    return character in "\0\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Mn")


def words(text):
    kept = (c for c in unicodedata.normalize("NFD", text.lower()) if not is_dropped(c))
    return "".join(f" {c} " if is_cjk(c) or is_punctuation(c) else c for c in kept).split()


class WordPiece:
    def __init__(self, vocabulary_file):
        with open(vocabulary_file, encoding="utf-8") as f:
            self.ids = {line.rstrip("\n"): number for number, line in enumerate(f)}

    def pieces(self, word):
        """The longest pieces that cover `word` from left to right, or the unknown token."""
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.ids:
                    found.append(self.ids[piece])
                    start = end
                    break
            else:
                return [self.ids["[UNK]"]]
        return found if len(word) <= LONGEST_WORD else [self.ids["[UNK]"]]

    def __call__(self, text):
        return [self.ids["[CLS]"], *(p for word in words(text) for p in self.pieces(word)), self.ids["[SEP]"]]
