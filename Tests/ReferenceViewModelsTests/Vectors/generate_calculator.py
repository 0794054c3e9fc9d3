#!/usr/bin/env python3
"""Writes calculator.json: what a calculator shows after random keys, computed with Python's decimal module.

The rules are written down here a second time and in another way than in Swift: the running result is
never kept from row to row but computed from all rows, and numbers are typed as text. Usage:

    python3 generate_calculator.py > calculator.json
"""

import json
import random
from decimal import ROUND_HALF_UP, Context, Decimal, setcontext

SEED = 20260117
setcontext(Context(prec=16, rounding=ROUND_HALF_UP, Emin=-99999, Emax=99999))


class Problem(Exception):
    pass


def calculate(left, operator, right):
    if operator == "/" and right == 0:
        raise Problem("divisionByZero")
    result = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left / right,
    }[operator]()
    if abs(result) >= Decimal("1e100"):
        raise Problem("overflow")
    if abs(result) < Decimal("1e-100"):
        return Decimal(0)
    return result


def show(number):
    if number == 0:
        return "0"
    number = number.normalize()
    if Decimal("1e-6") <= abs(number) < Decimal("1e16"):
        return format(number, "f")
    mantissa = number.scaleb(-number.adjusted())
    return f"{mantissa:f}e{number.adjusted()}"


class Calculator:
    def __init__(self):
        self.rows = []  # (id, operator or "", number)
        self.typed = ""
        self.waiting = ""
        self.last_id = 0

    def result(self, rows):
        value = Decimal(0)
        for _, operator, number in rows:
            value = calculate(value, operator, number) if operator else number
        return value

    def led(self):
        return self.typed or show(self.result(self.rows))

    def flags(self):
        return (2 if self.rows else 0) + (1 if self.rows or self.typed or self.waiting else 0)

    def press(self, key):
        """Returns the problem's code or None."""
        if key == "u":
            if self.rows:
                self.rows.pop()
                self.typed = self.waiting = ""
        elif key == "c":
            self.rows, self.typed, self.waiting = [], "", ""
        elif key == ".":
            if "." not in self.typed:
                self.typed = (self.typed or "0") + "."
        elif key.isdigit():
            if self.typed in ("", "0"):
                initial = not self.rows and not self.typed
                self.typed = "" if initial and key == "0" else key
            else:
                whole, _, fraction = self.typed.partition(".")
                if len(whole if whole != "0" else "") + len(fraction) < 16:
                    self.typed += key
        elif key == "=":
            return self.finish("")
        else:
            if not self.rows and not self.typed:
                self.typed = "0"
            return self.finish(key)
        return None

    def finish(self, next_operator):
        typed, waiting = self.typed, self.waiting
        self.typed, self.waiting = "", next_operator
        if not typed:
            return None
        row = (self.last_id + 1, waiting, Decimal(typed))
        try:
            self.result(self.rows + [row])
        except Problem as problem:
            return str(problem)
        self.rows.append(row)
        self.last_id += 1
        return None

    def texts(self):
        return [[i, f"{o} {show(n)}" if o else show(n)] for i, o, n in reversed(self.rows)]


def random_keys(random, style):
    keys = "8" if style in ("huge", "tiny") else ""
    length = random.randint(150, 240) if keys else random.randint(8, 44)
    while len(keys) < length:
        if style == "mixed":
            keys += random.choice("0123456789..++--**//==" + "uc"[: 1 if random.random() < 0.7 else 2])
        elif style == "sums":
            keys += random.choice(["0", "7", "25", ".5", "1.50", "100", "3", "9.99"]) + random.choice("+-*/+-*/=u")
        elif style == "long":
            keys += random.choice("00123456789999999" + ".+-*/=u")
        elif style == "zeros":
            keys += random.choice("00000000....1+-*/==uc")
        elif style == "huge":
            keys += random.choice(["*9999999999999999"] * 6 + ["*5000000000000000"] * 3 + ["=", "u", "+1", "-1", "+"])
        elif style == "tiny":
            keys += random.choice(["/9999999999999999"] * 6 + ["*.0000000000000007"] * 6 + ["=", "u", "/0", "-.1"])
    return keys


def random_number(random):
    digits = random.choice([1, 2, 3, 8, 15, 16, 16, 16])
    significand = random.choice([
        random.randint(1, 10**digits - 1),
        10**digits - random.randint(1, 3),
        10 ** (digits - 1) + random.randint(0, 3),
        5 * 10 ** (digits - 1),
    ])
    exponent = random.choice([0, -1, -digits, random.randint(-30, 30), random.randint(-99, 83), random.randint(-99, 83)])
    number = Decimal(significand).scaleb(exponent)
    return random.choice([1, -1]) * number


def near_half(random):
    """Operands of a sum whose exact value is half a unit, or next to half a unit, of the last digit."""
    left = Decimal(random.randint(10**15, 10**16 - 1)).scaleb(random.randint(-20, 20))
    half = left.scaleb(0).adjusted() - 16
    right = random.choice([
        Decimal(5).scaleb(half),
        Decimal(4999999999999999).scaleb(half - 15),
        Decimal(5000000000000001).scaleb(half - 15),
        Decimal(1).scaleb(half - random.randint(0, 40)),
    ])
    return random.choice([(left, right), (-left, right), (right, left), (left, -right)])


def main():
    source = random.Random(SEED)

    runs = []
    for number in range(301):
        style = ["mixed", "mixed", "sums", "long", "zeros", "huge", "tiny"][number % 7]
        keys = random_keys(source, style)
        calculator, leds, flags, problems = Calculator(), [], "", []
        for index, key in enumerate(keys):
            problem = calculator.press(key)
            if problem:
                problems.append(f"{index} {problem}")
            leds.append(calculator.led())
            flags += str(calculator.flags())
        # A LED that did not change is written as nothing, one that the key was appended to as "~".
        shown = [
            "" if led == before else "~" if led == before + key else led
            for led, before, key in zip(leds, ["0"] + leds, keys)
        ]
        runs.append({
            "keys": keys,
            "leds": ",".join(shown),
            "flags": flags,
            "problems": problems,
            "ids": [i for i, _ in calculator.texts()],
            "rows": [text for _, text in calculator.texts()],
        })

    sums = []
    while len(sums) < 840:
        left, right = near_half(source) if len(sums) % 3 == 0 else (random_number(source), random_number(source))
        operator = source.choice("+-") if len(sums) % 3 == 0 else source.choice("+-**//")
        if any(abs(n) >= Decimal("1e100") or abs(n) < Decimal("1e-100") for n in (left, right)):
            continue
        try:
            result = show(calculate(left, operator, right))
        except Problem as problem:
            result = str(problem)
        sums.append([show(left), operator, show(right), result])

    def text(value):
        return json.dumps(value, separators=(",", ":"))

    def lines(values):
        return ",\n".join(text(value) for value in values)

    def filled_lines(values):
        """As many short values a line as 118 columns take."""
        rows = [""]
        for value in values:
            if len(rows[-1]) + len(text(value)) > 117:
                rows.append("")
            rows[-1] += ("," if rows[-1] else "") + text(value)
        return ",\n".join(rows)

    print(f'{{"seed":{SEED},\n"runs":[\n{lines(runs)}\n],\n"arithmetic":[\n{filled_lines(sums)}\n]}}')


main()
