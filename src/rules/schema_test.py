"""The JSON Schema and the parser agree on what a rule file looks like.

Usage: schema_test.py SCHEMA TESTDATA RULES_VERDICT

valid/ passes both; invalid/ fails both; meaning/ passes the schema and fails
the parser, because a schema cannot say such things (two keys of one name, two
limits of one kind). Then each valid file is changed in one place in every way
listed below, and both are asked again: what the schema refuses, the parser
must refuse; what only the parser refuses must be a matter of meaning.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

MEANING = re.compile(
    r"two limits of one kind|changes numbers only|given, but the rule has|is the name of two rules"
    r"|only limits with anchor: calendar|holds no lease|as in the rule|unknown time zone"
    r"|buckets: \d+ parts of a period|more than 142 years|is not an IP address"
    r"|neither in the rule.s key|of the rule.s key is missing|a plain counter|name one counter"  # of redis_key
    r"|must begin with text|without .[{}]"
    r"|largest possible is 4294967295")  # in an override, whose algorithm stands in the rule
REPLACEMENTS = [None, 0, 1, -1, 1.5, 4294967296, True, False, "", "text", "5s", "0s", "-1s", [], {},
                [None], ["x"], {"x": "y"}]


def places(node, path=()):
    yield path
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in items:
        yield from places(child, path + (key,))


def changed(document, path, change):
    result = copy.deepcopy(document)
    parent = result
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return result


def mutations(document):
    for path in places(document):
        if not path:
            continue
        yield changed(document, path, lambda parent, key: parent.__delitem__(key))
        for value in REPLACEMENTS:
            yield changed(document, path, lambda parent, key: parent.__setitem__(key, value))
        if isinstance(path[-1], str):
            yield changed(document, path, lambda parent, key: parent.__setitem__(key + "x", parent.pop(key)))
        else:
            yield changed(document, path, lambda parent, key: parent.append(copy.deepcopy(parent[key])))


def verdicts(program, files):
    return subprocess.run([program, *map(str, files)], check=True, capture_output=True, text=True).stdout.splitlines()


def check_corpus(validator, testdata, program):
    failures = 0
    for folder, by_schema, by_parser in (("valid", True, True), ("invalid", False, False), ("meaning", True, False)):
        files = sorted((testdata / folder).glob("*.yaml"))
        assert files, folder
        for file, verdict in zip(files, verdicts(program, files), strict=True):
            schema_says = validator.is_valid(yaml.safe_load(file.read_text()))
            if schema_says != by_schema or (verdict == "ok") != by_parser:
                failures += 1
                print(f"{folder}/{file.name}: schema says {schema_says}, parser says {verdict}")
    return failures


def check_mutations(validator, testdata, program):
    failures = count = refused = 0
    for file in sorted((testdata / "valid").glob("*.yaml")):
        documents = list(mutations(yaml.safe_load(file.read_text())))
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"{i}.yaml" for i in range(len(documents))]
            for path, document in zip(paths, documents):
                path.write_text(json.dumps(document))  # JSON is YAML
            for path, document, verdict in zip(paths, documents, verdicts(program, paths), strict=True):
                count += 1
                ok = verdict == "ok"
                refused += not ok
                reasons = [reason for reason in verdict.split("\t") if reason]
                if validator.is_valid(document):
                    agree = ok or all(MEANING.search(reason) for reason in reasons)
                else:
                    agree = not ok
                if not agree:
                    failures += 1
                    if failures < 20:
                        print(f"{file.name}, changed: schema {validator.is_valid(document)}, parser {verdict}")
                        print(json.dumps(document))
    print(f"{count} changed files, {refused} refused")
    assert count > 1000 and 0 < refused < count
    return failures


def main():
    schema_file, testdata, program = sys.argv[1:]
    schema = json.loads(pathlib.Path(schema_file).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    testdata = pathlib.Path(testdata)
    failures = check_corpus(validator, testdata, program) + check_mutations(validator, testdata, program)
    print(f"{failures} disagreements")
    sys.exit(1 if failures else 0)


main()
