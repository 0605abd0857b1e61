"""A field of a text file: an id, a number, a time, or nothing."""

import re

INTEGER = re.compile(r"-?\d{1,19}")
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")
# With a currency, or with marks of thousands and another for decimals: $1,200, 1.200,50 € and 1,200.50. Addresses and
# numbers of telephones are neither.
_NUMBER = r"(?=[.,]?\d)(\d{1,3}([.,' ]\d{3})+|\d+)?([.,]\d+)?"
_AMOUNT = re.compile(
    "|".join([
        rf"[-+]?[$€£¥] ?[-+]?{_NUMBER}", rf"[-+]?{_NUMBER} ?[$€£¥]",
        r"[-+]?\d{1,3}(,\d{3})+\.\d+", r"[-+]?\d{1,3}(\.\d{3})+,\d+", r"[-+]?\d{1,3}('\d{3})+([.,]\d+)?",
    ]), re.ASCII,
)  # fmt: skip
# "007" is a name, not the number 7: the file's own names must come back with the labels.
_ID = re.compile(r"0|-?[1-9][0-9]{0,18}")
_WHOLE = re.compile(r"-?[0-9]{1,16}\.0*")
MISSING = frozenset(["", "-", "?", "na", "n/a", "#n/a", "nan", "<na>", "nat", "null", "none", "{}"])
# Numbers above this are taken for times, in seconds (since 1973) or milliseconds since 1970, and not for weights.
_TIME = 1e8
_YEARS = 1900, 2100
_DATE = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
# Whole numbers that ascend over as many lines are taken for times, too, and a word above as many codes for a header.
_SERIES = 10


def is_decimal_comma(field):
    """Return whether a field is a number with a decimal comma, 1,5."""
    return _DECIMAL_COMMA.fullmatch(field) is not None


def is_formatted(field):
    """Return whether a field is a number as people write it: with a decimal comma, marks of thousands, a currency."""
    return is_decimal_comma(field) or _AMOUNT.fullmatch(field) is not None


def is_number(field):
    """Return whether a field is a number, "nan" and "inf" included."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field  # Python's own spelling, which no file means


def is_id(field):
    """Return whether a field is an integer of 64 bits as Python would write it."""
    return _ID.fullmatch(field) is not None and -(2**63) <= int(field) < 2**63


def is_whole(field):
    """Return whether a field is an id, or one that was written as a float, as tables with missing values do."""
    return is_id(field) or (_WHOLE.fullmatch(field) is not None and abs(float(field)) <= 2**53)


def is_above_codes(head, fields):
    """Return whether a word without a digit stands above many names with digits, as "account" above "A17"."""
    has_digit = re.compile(r"\d").search
    return head[:1].isalpha() and not has_digit(head) and len(fields) >= _SERIES and all(map(has_digit, fields))


def is_stamp(number):
    """Return whether a number may be a time in seconds, with a fraction perhaps, or in parts of seconds."""
    return number >= _TIME and (number <= 2**32 or number.is_integer())


def is_time(fields):
    """Return whether numbers are years, dates as 20240131, or whole and ascending and mostly different."""
    if not all(map(INTEGER.fullmatch, fields)):
        return False
    times = list(map(int, fields))
    if all(_YEARS[0] <= time <= _YEARS[1] for time in times) or all(map(_DATE.fullmatch, fields)):
        return True
    return len(times) >= _SERIES and times == sorted(times) and 2 * len(set(times)) >= len(times)
