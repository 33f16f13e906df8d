"""Judges many bundles in one process: a base bundle, then one line of changes a bundle; answers [exit, report] a line."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "verify"))
import verify_bundle  # noqa: E402

begin = json.loads(sys.stdin.readline())
key = verify_bundle.read_key(begin["key"])
base = {name: text.encode() for name, text in begin["files"].items()}
for line in sys.stdin:
    asked = json.loads(line)
    files = {**base, **{name: text.encode() for name, text in asked["changed"].items()}}
    seen = None if asked["seen"] is None else verify_bundle.read_note(asked["seen"].encode())
    answer = verify_bundle.verify_bundle(lambda name, files=files: files.get(name, "missing"), key, seen, asked["all"])
    print(json.dumps(answer, separators=(",", ":")), flush=True)
