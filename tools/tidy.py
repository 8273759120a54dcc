#!/usr/bin/env python3
"""Checks that no compiler makes: who may include whom, sizes, words, links.

Runs as a test (ctest label `tidy`) over the tracked files of the tree. Prints
`file:line: what is wrong` for each finding and exits with 1 if there is any.
tidy_test.py shows for every check that it fires. What is let through, with its
reason, stands in tidy_exceptions.txt.
"""

import pathlib
import re
import subprocess
import sys

import cpp_text

LINE_MAX = 120
FILE_SOFT_MAX, FILE_MAX = 400, 800
TEST_SOFT_MAX, TEST_MAX = 600, 1000
FUNCTION_MAX = 70
BYTES_MAX = 2_500_000
EXCEPTIONS = 'tools/tidy_exceptions.txt'
ABI = 0  # as STINT_ABI in CMakeLists.txt

# A layer and the layers that it may include besides itself.
LAYERS = {
    'base': set(),
    'resp': {'base'},
    'core': {'base'},
    'rules': {'base', 'core'},
    'store': {'base', 'core', 'resp'},
    'engine': {'base', 'core', 'rules', 'store'},
}
LAYERS['replay'] = LAYERS['selftest'] = LAYERS['engine'] | {'engine'}
LAYERS['server'] = LAYERS['engine'] | {'engine', 'resp'}
LAYERS['grpc'] = LAYERS['protoc'] = LAYERS['engine'] | {'engine'}
LAYERS['cli'] = set(LAYERS) - {'cli'}
# store.hpp is the question that a store answers: plain types, which core's ban
# and the rules use too. stint.hpp includes all of them.
PUBLIC_LAYERS = {
    'time': 'base', 'error': 'base', 'digest': 'base', 'inline_vector': 'base', 'version': 'base',
    'limit': 'core', 'store': 'core', 'memory_store': 'store', 'redis_store': 'store',
    'rule': 'rules', 'decision': 'engine', 'limiter': 'engine', 'http_headers': 'engine', 'stint': 'engine',
    'key': 'base', 'signature': 'base', 'quota': 'core', 'rule_table': 'rules', 'rate_limit_exceeded': 'engine',
    'rate_limit_result': 'engine', 'guard': 'engine', 'rate_limited': 'engine', 'testing': 'engine', 'asio': 'engine',
    'grpc': 'grpc',
}
# Headers that need another library, which is theirs alone.
OPTIONAL_HEADERS = {'include/stint/asio.hpp': 'boost/asio/', 'include/stint/grpc.hpp': 'grpcpp/'}
# A header that includes one of these says so, and is then as heavy itself.
CPP_ONLY = 'Include in .cpp files only'
HEAVY = re.compile(r'^(boost/beast|boost/json|boost/asio\.hpp|yaml-cpp/|CLI/|spdlog/)')
STANDARD = re.compile(r'^[a-z_]+$')

# (pattern, where it is not allowed, what to do instead); the text has no comments or literals.
CODE_RULES = [
    (r'\bsleep_(?:for|until)\b|\bu?sleep\s*\(', r'(^|/)tests/|_test\.cpp$', 'use a virtual clock, or wait for a condition'),
    (r'\bGTEST_SKIP\b', r'', 'a test runs or does not exist'),
    (r'\bDISABLED_\w+', r'', 'a test runs or does not exist'),
    (r'\bstd::w?regex\b', r'', 'scan by hand: std::regex is slow and recurses'),
    (r'\bs?rand\s*\(', r'', 'use <random> with a seed that a failure prints'),
    (r'\b(?:f|s|sn|v|vf|vs|vsn)?printf\s*\(|\b(?:std::)?f?puts\s*\(', r'^(src/(?!base/assert\.hpp)|include/)',
     'use fmt or the log'),
    (r'\bstd::endl\b', r'', "write '\\n'"),
    (r'\bco_(?:await|return|yield)\b', r'^(src|include)/(?!stint/asio\.hpp$)',
     'no coroutines: GCC 12 miscompiles some of them silently'),
    (r'\busing\s+namespace\s+(?!(?:\w+::)+\w*literals\b)(?!stint\b)[\w:]+', r'', 'name what is used'),
    (r'\busing\s+namespace\s+stint\b[\w:]*', r'\.hpp$', 'name what is used'),
    (rf'(?m)^\s*namespace\s+stint\b(?!::inline v{ABI}\b)', r'',
     f'open stint::inline v{ABI}: two ABIs of stint then never meet'),
]
# (pattern, paths, what to do instead); over the whole text of every text file.
TEXT_RULES = [
    (r'\b(?:FIXME|XXX|HACK)\b', r'\.(cpp|hpp|py|sh|cmake|txt)$', 'mend it, or TODO(#issue)'),
    (r'\bTODO\b(?!\(#\d+\))', r'\.(cpp|hpp|py|sh|cmake|txt)$', 'write TODO(#issue)'),
    (r'\bNOLINT(?:NEXTLINE|BEGIN)?\b(?!\()', r'\.(cpp|hpp)$', 'NOLINT names its check'),
    (r'(?:^|[^A-Za-z0-9_.])/(?:wor[k]|roo[t]|far[m])/', r'', 'a path of one machine'),
    (r'(?i)https?://[a-z0-9.-]*(?:np[m]|pyp[i]|python[h]osted|crate[s]|gola[n]g|mave[n]|debia[n])[a-z0-9.-]*[./]', r'',
     'no hosts of package registries: name the package'),
    (r'[ \t]+$', r'', 'white space at the end of the line'),
    (r'\t', r'\.(cpp|hpp|py|cmake|md|yaml|yml|json)$|CMakeLists\.txt$', 'a tab'),
]
# Written for tests or by others: only the size is checked.
DATA = re.compile(r'(^|/)(data|corpus|cases)/|\.(log|jsonl|gz|png|svg|ico)$|^LICENSE$|^tools/tidy(_test)?\.py$')
LINES_CHECKED = re.compile(r'\.(cpp|hpp|py|sh|cmake)$|(^|/)(CMakeLists\.txt|run|test)$')


class Tidy:
    """All checks over the files of one tree."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.findings = []
        self.warnings = []
        self.allowed = {}
        self.used = set()

    def find(self, path, line, text):
        self.findings.append(f'{path}:{line}: {text}')

    def run(self):
        """Returns: the findings, in the order of the files."""
        self.read_exceptions()
        for path in self.files():
            self.check_file(path)
        for key in sorted(set(self.allowed) - self.used):
            self.find(EXCEPTIONS, self.allowed[key][1], f'no longer needed: {" ".join(key)}')
        return self.findings

    def files(self):
        listed = subprocess.run(['git', 'ls-files', '-z'], cwd=self.root, capture_output=True, text=True, check=False)
        if listed.returncode == 0 and listed.stdout:
            names = [name for name in listed.stdout.split('\0') if name and (self.root / name).is_file()]
        else:
            names = [str(path.relative_to(self.root)) for path in self.root.rglob('*') if path.is_file()]
            names = [name for name in names if not re.match(r'(build|\.git)/', name) and '__pycache__' not in name]
        return sorted(names)

    def read_exceptions(self):
        path = self.root / EXCEPTIONS
        if not path.exists():
            return
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line or line.startswith('#'):
                continue
            fields = line.split(None, 3)
            if len(fields) < 4 or fields[0] not in ('file', 'function') or not fields[2].isdigit():
                self.find(EXCEPTIONS, number, 'want: file|function PATH[:NAME] LINES REASON')
            else:
                self.allowed[fields[0], fields[1]] = (int(fields[2]), number)

    def too_long(self, kind, name, lines, most):
        """Whether it is, exceptions considered. An exception may only shrink."""
        if lines <= most:
            return False
        allowed = self.allowed.get((kind, name))
        if not allowed:
            return True
        self.used.add((kind, name))
        if lines < allowed[0]:
            self.find(EXCEPTIONS, allowed[1], f'{name} has {lines} lines now: lower {allowed[0]} to that')
        return lines > allowed[0]

    def check_file(self, path):
        data = (self.root / path).read_bytes()
        if len(data) > BYTES_MAX:
            self.find(path, 1, f'{len(data)} bytes; at most {BYTES_MAX} belong into the tree')
        if DATA.search(path) or b'\0' in data:
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            self.find(path, 1, 'not UTF-8')
            return
        if text and not text.endswith('\n'):
            self.find(path, text.count('\n') + 1, 'no newline at the end of the file')
        self.check_lines(path, text)
        if path.endswith(('.cpp', '.hpp')):
            self.check_cpp(path, text)
        if path.endswith('.md'):
            self.check_markdown(path, text)
        if path == 'CMakeLists.txt' and f'set(STINT_ABI {ABI})' not in text:
            self.find(path, 1, f'STINT_ABI is not the ABI of tools/tidy.py, {ABI}')

    def check_lines(self, path, text):
        rules = [(re.compile(pattern), advice) for pattern, where, advice in TEXT_RULES if re.search(where, path)]
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, advice in rules:
                match = pattern.search(line)
                if match:
                    self.find(path, number, f'{match.group(0).strip() or "here"}: {advice}')
            if LINES_CHECKED.search(path) and len(line) > LINE_MAX and 'R"' not in line:
                self.find(path, number, f'{len(line)} characters; at most {LINE_MAX}')

    def check_cpp(self, path, text):
        is_test = path.startswith('tests/') or path.endswith('_test.cpp')
        lines = text.count('\n')
        if self.too_long('file', path, lines, TEST_MAX if is_test else FILE_MAX):
            self.find(path, lines, f'{lines} lines; at most {TEST_MAX if is_test else FILE_MAX}')
        elif lines > (TEST_SOFT_MAX if is_test else FILE_SOFT_MAX):
            self.warnings.append(f'{path}: {lines} lines, is it two things?')
        for name, first, count in cpp_text.functions(text):
            if self.too_long('function', f'{path}:{name}', count, FUNCTION_MAX):
                self.find(path, first, f'{name} has {count} lines; at most {FUNCTION_MAX}')
        code = cpp_text.blank(text)
        for pattern, where, advice in CODE_RULES:
            if re.search(where, path):
                for match in re.finditer(pattern, code):
                    self.find(path, code.count('\n', 0, match.start()) + 1, f'{match.group(0).strip()}: {advice}')
        if path.endswith('.hpp'):
            self.check_header(path, text)
        self.check_includes(path, text)

    def check_header(self, path, text):
        if not text.startswith('//'):
            self.find(path, 1, 'a header opens with a comment: what it is, why, which threads')
        if not re.search(r'^#pragma once$', text, re.MULTILINE):
            self.find(path, 1, 'no #pragma once')
        if path.startswith('include/') and re.search(r'^namespace ', text, re.MULTILINE):
            if not re.search(r'(?ms)\A(?!.*^namespace .*^#pragma GCC visibility push)'
                             r'.*^#pragma GCC visibility push\(default\)\nnamespace .*^}.*\n'
                             r'#pragma GCC visibility pop\n(?!.*^namespace )', text):
                self.find(path, 1, 'its namespace stands between #pragma GCC visibility push(default) and pop: what '
                                   'is outside of it is hidden in a shared library')

    def check_includes(self, path, text):
        found = cpp_text.includes(text)
        layer = layer_of_file(path)
        for number, quote, name in found:
            if quote == '"' and name.startswith('.'):
                self.find(path, number, f'{name}: include from the root of src, not by ..')
            if path.startswith(('src/', 'include/')) and path.endswith('.hpp') and CPP_ONLY not in text:
                if HEAVY.search(name) or self.is_cpp_only(name):
                    self.find(path, number, f'{name}: a heavy header belongs into a .cpp')
            if path.startswith('include/') and not name.startswith('stint/') and not STANDARD.match(name):
                if not name.startswith(OPTIONAL_HEADERS.get(path, '-')):
                    self.find(path, number, f'{name}: public headers include the standard library and stint only')
            target = layer_of_include(name) if quote == '"' else None
            if layer and target and not path.endswith('_test.cpp') and target not in LAYERS[layer] | {layer}:
                self.find(path, number, f'{layer} may not include {name} ({target})')
            if path.startswith('include/stint/') and name.startswith('stint/') and target is None:
                self.find(path, number, f'{name} has no layer: add it to PUBLIC_LAYERS of tidy.py')
        self.check_own_header_first(path, found)

    def is_cpp_only(self, name):
        header = self.root / 'src' / name
        return header.is_file() and CPP_ONLY in header.read_text()

    def check_own_header_first(self, path, found):
        if not path.startswith('src/') or not path.endswith('.cpp') or path.endswith('_test.cpp') or not found:
            return
        stem = path[len('src/'):-len('.cpp')]
        own = [name for name in (f'{stem}.hpp', f'stint/{pathlib.PurePath(stem).name}.hpp')
               if (self.root / 'src' / name).exists() or (self.root / 'include' / name).exists()]
        if own and found[0][2] not in own:
            self.find(path, found[0][0], f'the first include is the own header, {own[0]}')

    def check_markdown(self, path, text):
        prose = re.sub(r'(?ms)^(```|~~~).*?^\1\s*$', lambda match: '\n' * match.group(0).count('\n'), text)
        titles = re.findall(r'(?m)^# ', prose)
        if len(titles) != 1:
            self.find(path, 1, f'{len(titles)} titles (# …); a page has one')
        for match in re.finditer(r'\]\(([^()\s]+)(?:\s+"[^"]*")?\)', re.sub(r'`[^`\n]*`', '', prose)):
            target, _, anchor = match.group(1).partition('#')
            if re.match(r'[a-z]+:', target):
                continue
            line = prose.count('\n', 0, prose.find(match.group(0))) + 1
            file = (self.root / path).parent / target if target else self.root / path
            if not file.exists():
                self.find(path, line, f'{target}: there is no such file')
            elif anchor and file.suffix == '.md' and anchor not in anchors(file.read_text()):
                self.find(path, line, f'#{anchor}: there is no such heading')


def anchors(text):
    """The names by which headings can be linked."""
    names = set()
    for heading in re.findall(r'(?m)^#+ +(.*)$', text):
        plain = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).strip().lower()
        names.add(re.sub(r'[^\w\- ]', '', plain).replace(' ', '-'))
    return names


def layer_of_file(path):
    parts = path.split('/')
    if parts[0] == 'src' and len(parts) > 2 and parts[1] in LAYERS:
        return parts[1]
    if path.startswith('include/stint/'):
        return layer_of_include(path[len('include/'):])
    return None


def layer_of_include(name):
    parts = name.split('/')
    if parts[0] == 'stint':
        return PUBLIC_LAYERS.get(parts[-1].removesuffix('.hpp'))
    return parts[0] if len(parts) > 1 and parts[0] in LAYERS else None


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    tidy = Tidy(root)
    findings = tidy.run()
    for warning in tidy.warnings:
        print(f'warning: {warning}')
    for finding in findings:
        print(finding)
    print(f'{len(findings)} findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
