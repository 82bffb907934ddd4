"""Removes the API key from replies before they are written."""

import re

KEY_PLACEHOLDER = "$SWAPCHECK_API_KEY"
# A shorter key may be part of any word, so only whole words are replaced.
MIN_SEARCHED_CHARACTERS = 4


def redactor(key):
    """Returns a function that replaces the key, whichever of its characters are percent-encoded or JSON escapes."""
    if not key:
        return lambda text: text
    forms = "".join(f"(?:{'|'.join(forms_of(character))})" for character in key)
    if len(key) >= MIN_SEARCHED_CHARACTERS:
        pattern = f"(){forms}"
    else:
        pattern = rf"(^|\W|%[0-9a-fA-F]{{2}}|\\u[0-9a-fA-F]{{4}}){forms}(?!\w)"
    return lambda text: re.sub(pattern, rf"\g<1>{KEY_PLACEHOLDER}", text)


def forms_of(character):
    yield re.escape(character)
    percent = "".join(f"%{byte:02X}" for byte in character.encode())
    yield f"(?i:{percent})"
    units = character.encode("utf-16-be").hex()
    yield "(?i:" + "".join(rf"\\u{units[at:at + 4]}" for at in range(0, len(units), 4)) + ")"
    if character == " ":
        yield r"\+"
    if character in '"\\/':
        yield re.escape("\\" + character)
