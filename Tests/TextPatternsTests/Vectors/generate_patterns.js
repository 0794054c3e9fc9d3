// Writes patterns.json: which texts a pattern occurs in, as the regular expressions of Node with the flag `u` find it.
//
//     node generate_patterns.js > patterns.json
"use strict";

const patterns = [
  "", "a", "ab", "^ab$", "a|b", "^(a|b|)$", "^a|b$", "a*", "^a*$", "^a+$", "^a?b$", "^(?:ab)+$", "^(?<word>ab){2}$",
  "^a{2}$", "^a{2,}$", "^a{2,3}$", "^a{0}b$", "^(a{1,2}){2}$", "^(a+)+$", "^(a*)*$", "^(a|aa)+b$", "^a*?b$", "^a{2,3}?$",
  ".", "^.$", "^..$", "^.*$", "^[^<>]*$", "[<>]", "^[abc]$", "^[^abc]$", "^[a-c]$", "^[a-c-]$", "^[-a]$", "^[a\\-c]$",
  "^[\\]]$", "^[\\^]$", "^[\\b]$", "[]", "[^]", "^[\\d.]+$", "^[\\D]$", "^[^\\W_]+$", "^[\\s\\S]$", "^\\d+$", "^\\D+$",
  "^\\w+$", "^\\W+$", "^\\s+$", "^\\S+$", "\\bab\\b", "\\Bb", "^\\B$", "\\b", "^\\t\\n\\v\\f\\r$", "^\\0$", "^\\cJ$",
  "^\\x41$", "^\\u0041$", "^\\u{1F600}$", "^\\ud83d\\ude00$", "^\\u{E9}$", "^\\$\\^\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\\\\\/$",
  "^\\p{L}+$", "^\\p{Lu}\\p{Ll}*$", "^\\P{L}+$", "^[\\p{L}\\d]+$", "^[^\\p{L}]+$", "^\\p{Letter}$", "^\\p{gc=Nd}+$",
  "^\\p{General_Category=Decimal_Number}$", "\\p{M}", "^\\p{So}$", "[0-9]+px$", "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$",
  "^\\d{4}-\\d{2}-\\d{2}$", "^(?:[1-9]\\d*|0)(?:\\.\\d+)?$", "^[A-Z]{2}\\d{2}( ?[A-Z0-9]{4}){2,7}$", "é", "^é$", "^e\u0301$",
  "^[é]$", "^\u{1F468}\u200D\u{1F469}$", "$^", "a$b", "(^|,)b(,|$)", "^(?:^a)$", "(?:a$)?b", "^(a|b)*a(a|b){3}$",
  "^((a|b)(c|d)?)+$", "x{0,0}y", "(?:)", "(?:)*a", "^[\\u{0}-\\u{10FFFF}]$", "^[+--]$", "^[^\\s<]$",
];
const texts = [
  "", "a", "b", "ab", "ba", "aa", "aaa", "aaaa", "aab", "abab", "aaaab", "abc", "c", "d", "-", "]", "^", "\b", "\n", "\r\n",
  "a\n", "\na", "a\nb", "A", "B7", "7", "42", "4.2", "0", "007", "1.", "_", "a_1", " ", "\t", "\u00a0", "\u2028", "\ufeff",
  "\u0085", "\u0000", "\t\n\v\f\r", "$^.*+?()[]{}|\\/", "<", "<\u0301", "<b>", "\u0301", "a\u0301", "é", "e\u0301", "É", "Élan",
  "Elan", "straße", "٣", "٣٤", "٣a", "\u{1F600}", "\u{1F600}\u{1F600}", "\u{1F468}\u200D\u{1F469}", "©", "12px", "12px ", "px",
  "a@b.cd", "a b@c.de", "2026-01-31", "2026-1-31", "DE12 3456 7890 ABCD", "x,b,y", "b,", "ab ab", "cab", "K", "\u212a", "ſ",
  "acbd", "abba", "aaba", "y", "xy", "+", ",", "漢字", "ǅ", "\u{10FFFF}", "!",
];
const refused = [
  "(", ")", "a)", "(a", "[", "[a-", "[b-a]", "*", "a**", "+a", "^*", "a{2,1}", "a{", "{1}", "}", "]", "\\", "\\q", "\\1", "(a)\\1",
  "(?<a>b)\\k<a>", "[\\d-z]", "[a-\\d]", "\\u{110000}", "\\u12", "\\x4", "\\c1", "\\p{Nonsense}", "\\pL", "(?<a", "(?<>a)", "(?P<a>b)",
  "\\b+", "\\00", "(?", "\\p{", "a{1", "[\\q]",
  // ECMA-262 has these.
  "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "\\p{Script=Greek}", "\\p{Alphabetic}", "\\ud83d", "(a)(?:\\1)",
];
const line = (pattern) => {
  const expression = new RegExp(pattern, "u");
  const matches = texts.filter((text) => expression.test(text));
  const others = texts.filter((text) => !expression.test(text));
  return "    " + JSON.stringify({ pattern, matches, others });
};
process.stdout.write(
  `{\n  "patterns": [\n${patterns.map(line).join(",\n")}\n  ],\n  "refused": ${JSON.stringify(refused)}\n}\n`
);
