#!/usr/bin/env python3
"""Compiles each file of a folder, which must fail and say why.

    compile_fail_test.py COMPILER INCLUDE-FOLDER FOLDER

A file holds cases, each under `// case: words` that the compiler's message
must have; the text before the first case belongs to all. `// case: compiles`
must compile: it shows that it is the mistake that fails.
"""
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def cases(path):
    head, *rest = re.split(r'(?m)^// case: (.*)$', path.read_text())
    for words, body in zip(rest[::2], rest[1::2]):
        yield words.strip(), head + body


def failure(compiler, include, words, text):
    """Returns what is wrong with a case, or nothing."""
    run = subprocess.run([compiler, '-std=c++20', '-fsyntax-only', '-I', include, '-x', 'c++', '-'],
                         input=text, capture_output=True, text=True, timeout=120)
    if words == 'compiles':
        return run.stderr if run.returncode else ''
    if run.returncode == 0:
        return 'it compiled'
    return '' if words in run.stderr else 'the message says something else:\n' + run.stderr


def main():
    compiler, include, folder = sys.argv[1:]
    all_cases = [case for path in sorted(pathlib.Path(folder).glob('*.cpp')) for case in cases(path)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: failure(compiler, include, *case), all_cases))
    for (words, _), wrong in zip(all_cases, results):
        print(f'{"FAILED" if wrong else "ok":6} {words}')
        if wrong:
            print(wrong[:2000])
    broken = sum(1 for wrong in results if wrong)
    print(f'{len(results)} cases, {broken} failed')
    return 1 if broken or len(results) < 20 else 0


if __name__ == '__main__':
    sys.exit(main())
