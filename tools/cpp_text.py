"""Just enough of C++ for tidy.py: text without comments and literals, includes, functions.

It reads characters, not a grammar. That is exact for formatted code without
macros that open braces, which is all that stint has.
"""

import re

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|(?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r'|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r'|"(?:\\.|[^"\\\n])*"',
    re.DOTALL)
_NOT_A_FUNCTION = re.compile(r'^\s*(?:\[\[[^\]]*\]\]\s*)?(?:inline\s+|export\s+)*'
                             r'(?:namespace|class|struct|enum|union|extern\s+"?C"?)\b')
_TEST = re.compile(r'\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)')
_NAME_BEFORE_PARENTHESIS = re.compile(r'((?:[\w~]+::)*(?:operator\s*\(\)|operator[^\s\w(]+|operator\s+\w+|~?\w+))\s*\(')


def blank(text, keep_comments=False):
    """The text with comments and literals as spaces; lines stay lines."""
    def replace(match):
        token = match.group(0)
        if keep_comments and token.startswith('/'):
            return token
        return re.sub(r'[^\n]', ' ', token)
    return _TOKEN.sub(replace, text)


def includes(text):
    """(line number, quote or angle, path) of every #include."""
    return [(number, match.group(1), match.group(2))
            for number, line in enumerate(text.splitlines(), 1)
            if (match := INCLUDE.match(line))]


def _name(head):
    test = _TEST.search(head)
    if test:
        return f'{test.group(1)}.{test.group(2)}'
    names = [name.replace(' ', '') for name in _NAME_BEFORE_PARENTHESIS.findall(head)]
    names = [name for name in names if name not in ('decltype', 'noexcept', 'requires', 'alignas', 'explicit')]
    return names[0] if names else '?'


def functions(text):
    """(name, first line, number of lines) of every function body outside others."""
    code = re.sub(r'(?m)^\s*#.*(?:\\\n.*)*$', lambda match: re.sub(r'[^\n]', ' ', match.group(0)), blank(text))
    found, stack, head, line = [], [], '', 1
    for character in code:
        if character == '\n':
            line += 1
        inside = next((entry for entry in stack if entry[0] == 'function'), None)
        if character == '{':
            if inside:
                stack.append(('block', '', line))
                continue
            stripped = head.rstrip()
            initialises = re.search(r'\)[^;{}]*[^:]:[^:]', stripped) and re.search(r'[\w>]$', stripped)
            if initialises or stripped.endswith(('=', ',', '(', 'return')):
                stack.append(('initialiser', '', line))
            elif '(' in head and not _NOT_A_FUNCTION.match(head):
                stack.append(('function', _name(head), line))
            else:
                stack.append(('scope', '', line))
                head = ''
        elif character == '}' and stack:
            kind, name, first = stack.pop()
            if kind == 'function':
                found.append((name, first, line - first + 1))
            if kind == 'initialiser':
                head += '}'
            elif kind == 'function' or not inside:
                head = ''
        elif not inside:
            head = '' if character == ';' else head + character
    return found
