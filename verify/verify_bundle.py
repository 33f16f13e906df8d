#!/usr/bin/env python3
"""Judges exported bundles; a second program beside verify-bundle.mjs that shares no code with it, standard library only.

    python3 verify_bundle.py <bundle folder>... --key <public key file> [--seen <older checkpoint file>] [--all]

The rules are those of docs/bundle-format.md. The page came after the first version of this program; the two were then
compared rule by rule, and what the page left open was added to it.

JSON on stdout. Exit: 0 good, 1 not as it should be, 2 wrong use, 3 nothing to judge.
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import sys
from functools import lru_cache

FORMAT_VERSION = 1
SCHEMA_VERSION = 1
CONTENT_FILE = "content.ndjson"
LINE_BYTES_MAX = 65_536
DEPTH_MAX = 32
CLOSED_KEPT = 16
NUMBER_MAX = 1_000_000_000
SAFE_MAX = 2**53 - 1

# ---- Bytes and JSON


class Unreadable(Exception):
    """Not JSON, or JSON that has no canonical form."""


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def matches(value, pattern):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def is_int(value, low, high=NUMBER_MAX):
    return type(value) is int and low <= value <= high


def has_exactly(value, members):
    return isinstance(value, dict) and set(value) == set(members)


def canonical(value):
    """RFC 8785 text for integers, strings, booleans, null, lists and objects."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if abs(value) > SAFE_MAX:
            raise Unreadable
        return str(value)
    if isinstance(value, str):
        if any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            raise Unreadable
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    raise Unreadable


def try_canonical(value):
    try:
        return canonical(value)
    except Unreadable:
        return None


def _too_deep(text):
    depth = 0
    for piece in re.finditer(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', text, re.S):
        mark = piece.group()
        if mark in "{[":
            depth += 1
            if depth > DEPTH_MAX:
                return True
        elif mark in "}]":
            depth -= 1
    return False


def _float(text):
    # 1.0 and 1e3 are integers written in another way: not canonical, but not another value.
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= SAFE_MAX else value


def _int(text):
    return int(text) if len(text) <= 20 else float("inf")


def _constant(_):
    raise Unreadable


def parse_json(data):
    try:
        text = data.decode("utf-8")
        if _too_deep(text):
            raise Unreadable
        return json.loads(text, parse_float=_float, parse_int=_int, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise Unreadable from error


def parse_canonical_file(data):
    """The value of exactly one canonical JSON text and a newline; None otherwise."""
    try:
        value = parse_json(data)
        return value if (canonical(value) + "\n").encode() == data else None
    except Unreadable:
        return None


# ---- Merkle tree (RFC 6962, RFC 9162 2.1.3 and 2.1.4)

HEX = r"[0-9a-f]{64}"


def leaf_hash(leaf):
    return sha256(b"\x00", canonical(leaf).encode())


def node_hash(left, right):
    return sha256(b"\x01", left, right)


def is_path(path):
    return isinstance(path, list) and len(path) <= 64 and all(matches(node, HEX) for node in path)


def includes(leaf, index, size, root, path):
    if not is_path(path) or not is_int(index, 0, SAFE_MAX) or index >= size:
        return False
    node, last, so = index, size - 1, leaf
    for sibling in map(bytes.fromhex, path):
        if last == 0:
            return False
        if node & 1 or node == last:
            so = node_hash(sibling, so)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            so = node_hash(so, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and so == root


def extends_tree(old_size, old_root, size, root, path):
    if not is_path(path) or old_size < 1 or old_size > size:
        return False
    if old_size == size:
        return not path and old_root == root
    nodes = [bytes.fromhex(node) for node in path]
    node, last = old_size - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    if node == 0:
        nodes.insert(0, old_root)
    if not nodes:
        return False
    old_so = new_so = nodes[0]
    for sibling in nodes[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old_so = node_hash(sibling, old_so)
            new_so = node_hash(sibling, new_so)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            new_so = node_hash(new_so, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and old_so == old_root and new_so == root


# ---- Ed25519 (RFC 8032, 5.1), verification only

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def _add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(scalar, point):
    so = IDENTITY
    while scalar > 0:
        if scalar & 1:
            so = _add(so, point)
        point = _add(point, point)
        scalar >>= 1
    return so


def _same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def _point(data):
    y = int.from_bytes(data, "little")
    sign = y >> 255
    y &= (1 << 255) - 1
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if x2 == 0:
        return None if sign else (0, y, 1, 0)
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * SQRT_M1 % P
    if (x * x - x2) % P:
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = _point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


@lru_cache(maxsize=4096)
def verify_signature(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = _point(public), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % Q
    return _same(_times(s, BASE), _add(r, _times(h, a)))


# ---- Keys and notes (C2SP signed-note, tlog-checkpoint)

NAME = r"[\x21-\x2a\x2c-\x7e]{1,100}"


def from_base64(text):
    if not matches(text, r"[A-Za-z0-9+/]+={0,2}"):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode() == text else None


def read_key(text):
    """{name, id, public, text} from `<name>+<key id>+<base64>`, or None."""
    parts = text.split("+", 2) if isinstance(text, str) else []
    if len(parts) != 3 or not matches(parts[0], NAME):
        return None
    typed = from_base64(parts[2])
    if typed is None or len(typed) != 33 or typed[0] != 1:
        return None
    if sha256(parts[0].encode() + b"\n", typed)[:4].hex() != parts[1]:
        return None
    return {"name": parts[0], "id": parts[1], "public": typed[1:], "text": text}


def read_note(data):
    try:
        note = data.decode("utf-8")
    except ValueError:
        return None
    end = note.rfind("\n\n")
    if len(note) > 4096 or not note.endswith("\n") or end == -1:
        return None
    signed = note[: end + 1]
    lines = signed.split("\n")
    if len(lines) != 4 or lines[3] != "" or not matches(lines[0], NAME):
        return None
    root = from_base64(lines[2])
    if not matches(lines[1], r"0|[1-9][0-9]{0,14}") or root is None or len(root) != 32:
        return None
    signatures = []
    for line in note[end + 2 : -1].split("\n"):
        parts = line.split(" ")
        held = from_base64(parts[2]) if len(parts) == 3 else None
        if held is None or len(held) <= 4 or parts[0] != "\u2014" or not matches(parts[1], NAME):
            return None
        signatures.append((parts[1], held[:4].hex(), held[4:]))
    if len(signatures) > 16:
        return None
    return {"origin": lines[0], "size": int(lines[1]), "root": root, "signed": signed, "signatures": signatures}


def is_signed_by(note, key):
    ours = [each[2] for each in note["signatures"] if each[0] == key["name"] and each[1] == key["id"]]
    return (
        note["origin"] == key["name"]
        and len(ours) > 0
        and all(verify_signature(key["public"], note["signed"].encode(), signature) for signature in ours)
    )


# ---- Leaves and proofs

LEDGER_ID = r"[A-Za-z0-9_-]{43}"
NOTICE_VERSION = r"[a-z_]{1,60}/[0-9]{1,6}"


def is_leaf(leaf, kind):
    if not isinstance(leaf, dict) or leaf.get("type") != kind:
        return False
    if kind == "head/1":
        return (
            has_exactly(leaf, ("type", "ledgerId", "position", "hash"))
            and matches(leaf["ledgerId"], LEDGER_ID)
            and is_int(leaf["position"], 1)
            and matches(leaf["hash"], HEX)
        )
    if kind == "heads/1":
        return (
            has_exactly(leaf, ("type", "root", "ledgers", "key"))
            and matches(leaf["root"], HEX)
            and is_int(leaf["ledgers"], 0, SAFE_MAX)
            and isinstance(leaf["key"], str)
        )
    if kind == "key/1":
        return has_exactly(leaf, ("type", "oldKey", "newKey", "signature")) and all(
            isinstance(text, str) for text in leaf.values()
        )
    return (
        has_exactly(leaf, ("type", "version", "language", "hash"))
        and matches(leaf["version"], NOTICE_VERSION)
        and isinstance(leaf["language"], str)
        and matches(leaf["hash"], HEX)
    )


def is_proven(proof, kind, size, root):
    try:
        return (
            has_exactly(proof, ("index", "leaf", "path"))
            and is_leaf(proof["leaf"], kind)
            and includes(leaf_hash(proof["leaf"]), proof["index"], size, root, proof["path"])
        )
    except Unreadable:
        return False


def trusted_keys(key, changes, note):
    """Keys reached from the given one by recorded and signed changes; None when one is not in the log."""
    trusted = {key["text"]: key}
    for change in changes:
        if not is_proven(change, "key/1", note["size"], note["root"]):
            return None
        leaf = change["leaf"]
        old, new, signature = trusted.get(leaf["oldKey"]), read_key(leaf["newKey"]), from_base64(leaf["signature"])
        if old is None or new is None or new["name"] != key["name"] or signature is None:
            continue
        says = canonical({"type": leaf["type"], "oldKey": leaf["oldKey"], "newKey": leaf["newKey"]})
        if verify_signature(old["public"], says.encode(), signature):
            trusted[new["text"]] = new
    return trusted


def is_proofs(proofs):
    lists = ("ledgers", "keys", "notices", "consistency")
    return (
        has_exactly(proofs, ("formatVersion", "size", "heads") + lists)
        and type(proofs["formatVersion"]) is int
        and proofs["formatVersion"] == FORMAT_VERSION
        and is_int(proofs["size"], 1, SAFE_MAX)
        and all(isinstance(proofs[name], list) for name in lists)
        and all(isinstance(each, dict) for each in proofs["ledgers"])
    )


def judge_log(checkpoint, proofs, key):
    """(log, None) or (None, cause)."""
    if checkpoint == b"":
        return None, "checkpoint_missing"
    note = read_note(checkpoint)
    if note is None:
        return None, "checkpoint_unreadable"
    if proofs is None or not is_proofs(proofs):
        return None, "proofs_unreadable"
    if note["origin"] != key["name"]:
        return None, "other_log"
    if proofs["size"] != note["size"]:
        return None, "proofs_of_other_size"
    heads = proofs["heads"]
    if not is_proven(heads, "heads/1", note["size"], note["root"]) or heads["index"] != note["size"] - 1:
        return None, "heads_not_proven"
    trusted = trusted_keys(key, proofs["keys"], note)
    if trusted is None:
        return None, "key_change_not_proven"
    signer = trusted.get(heads["leaf"]["key"])
    if signer is None or not is_signed_by(note, signer):
        return None, "signature_not_trusted"
    notices = {}
    for notice in proofs["notices"]:
        if not is_proven(notice, "notice/1", note["size"], note["root"]):
            return None, "notice_not_proven"
        notices[(notice["leaf"]["version"], notice["leaf"]["language"])] = notice["leaf"]["hash"]
    by_ledger = {}
    for proof in proofs["ledgers"]:
        # The first of a ledger counts. A name that is no text is nobody's.
        if isinstance(proof.get("ledgerId"), str):
            by_ledger.setdefault(proof["ledgerId"], proof)
    return {"note": note, "heads": heads["leaf"], "proofs": proofs, "notices": notices, "by_ledger": by_ledger}, None


def is_absent(ledger_id, absent, count, root):
    if not has_exactly(absent, ("before", "after")):
        return False
    before, after = absent["before"], absent["after"]
    if before is not None:
        if not is_proven(before, "head/1", count, root) or not before["leaf"]["ledgerId"] < ledger_id:
            return False
    if after is not None:
        if not is_proven(after, "head/1", count, root) or not after["leaf"]["ledgerId"] > ledger_id:
            return False
    return (0 if before is None else before["index"] + 1) == (count if after is None else after["index"])


def witness_of(ledger_id, log):
    """(newest witnessed position, hash by position), or None when the proof does not hold."""
    proof = log["by_ledger"].get(ledger_id)
    count, heads_root = log["heads"]["ledgers"], bytes.fromhex(log["heads"]["root"])
    note = log["note"]
    if has_exactly(proof, ("ledgerId", "absent")):
        return (0, {}) if is_absent(ledger_id, proof["absent"], count, heads_root) else None
    if not has_exactly(proof, ("ledgerId", "newest", "witnessed")) or not isinstance(proof["witnessed"], list):
        return None
    newest = proof["newest"]
    if not is_proven(newest, "head/1", count, heads_root) or newest["leaf"]["ledgerId"] != ledger_id:
        return None
    hashes, position = {}, 0
    for each in proof["witnessed"]:
        if not is_proven(each, "head/1", note["size"], note["root"]) or each["leaf"]["ledgerId"] != ledger_id:
            return None
        if each["leaf"]["position"] < position:
            return None
        position = each["leaf"]["position"]
        if hashes.setdefault(position, each["leaf"]["hash"]) != each["leaf"]["hash"]:
            return None
    leaf = newest["leaf"]
    return (position, hashes) if position == leaf["position"] and hashes.get(position) == leaf["hash"] else None


def judge_seen(seen, log, key):
    note = log["note"]
    if seen["origin"] != key["name"]:
        return "seen_other_log"
    if seen["size"] > note["size"]:
        return "checkpoint_rolled_back"
    if seen["size"] == note["size"]:
        return None if seen["root"] == note["root"] else "checkpoint_forked"
    if seen["size"] == 0:
        return None
    for each in log["proofs"]["consistency"]:
        if has_exactly(each, ("size", "path")) and type(each["size"]) is int and each["size"] == seen["size"]:
            holds = extends_tree(seen["size"], seen["root"], note["size"], note["root"], each["path"])
            return None if holds else "consistency_not_proven"
    return "consistency_missing"


# ---- Events

UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
IDENTIFIER = r"[\x21\x23-\x5b\x5d-\x7e]{1,40}"
REFUSALS = ("expired", "superseded", "cancelled", "forgotten", "corrected", "revision_moved")
ENVELOPE = (
    "specversion id source type subject time datacontenttype data position previoushash schemaversion actor "
    "actorrole causationid correlationid"
).split()


def milliseconds(text):
    """Unix milliseconds of a time as events write it, or None when there is no such moment."""
    found = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3})Z", text)
    if found is None:
        return None
    year, month, day, hour, minute, second, milli = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not 1 <= month <= 12 or not 1 <= day <= lengths[month - 1] or hour > 23 or minute > 59 or second > 59:
        return None
    # Years are counted from March, so that the leap day is the last of its year.
    y = year - (month <= 2)
    era, of_era = divmod(y, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days = era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli


def is_time(value):
    return isinstance(value, str) and milliseconds(value) is not None


def is_envelope(event):
    return (
        has_exactly(event, ENVELOPE)
        and event["specversion"] == "1.0"
        and matches(event["id"], UUID)
        and matches(event["source"], "/ledgers/" + LEDGER_ID)
        and isinstance(event["type"], str)
        and matches(event["subject"], LEDGER_ID)
        and is_time(event["time"])
        and event["datacontenttype"] == "application/json"
        and isinstance(event["data"], dict)
        and is_int(event["position"], 1)
        and matches(event["previoushash"], HEX)
        and matches(event["actor"], r"[\x21-\x7e]{1,80}")
        and event["actorrole"] in ("subject", "operator", "service")
        and matches(event["causationid"], IDENTIFIER)
        and matches(event["correlationid"], IDENTIFIER)
    )


def one_of(*words):
    return lambda value: isinstance(value, str) and value in words


def like(pattern):
    return lambda value: matches(value, pattern)


def integer(low, high=NUMBER_MAX):
    return lambda value: is_int(value, low, high)


PROPOSAL = {
    "proposalId": like(UUID),
    "noticeVersion": like(NOTICE_VERSION),
    "language": one_of("zh-TW"),
    "validitySeconds": integer(1, 86_400),
    "baseRevision": integer(0),
    "collectionMethod": one_of("message", "button", "api"),
}
DECISION = {
    "proposalId": like(UUID),
    "revision": integer(0),
    "commitment": like(HEX),
    "method": one_of("card", "api"),
}
PREFERENCE_BODIES = {
    "preference.proposed": (
        {**PROPOSAL, "operation": one_of("save", "correct"), "commitment": like(HEX)},
        {**PROPOSAL, "operation": one_of("forget")},
    ),
    "preference.approved": (DECISION,),
    "preference.corrected": ({**DECISION, "correctsRevision": integer(0)},),
    "preference.cancelled": (
        {"proposalId": like(UUID), "method": one_of("card", "unsend", "message", "api")},
    ),
    "preference.forgotten": (
        {
            "revision": integer(0),
            "forgetsRevision": lambda value: value is None or is_int(value, 0),
            "method": one_of("fixed_entry", "card", "api"),
            "erasureScope": one_of("purpose", "all"),
        },
    ),
    "card.refused": (
        {
            "proposalId": like(UUID),
            "reason": one_of(*REFUSALS),
            "presentedRevision": integer(0),
            "headRevision": integer(0),
        },
    ),
}
READ_BOUNDS = (
    {"kind": one_of("all")},
    {"kind": one_of("through_revision"), "revision": integer(0)},
    {"kind": one_of("through_position"), "position": integer(0)},
    {"kind": one_of("at"), "time": is_time},
)
ACCESS_BODIES = {
    "access.read": (
        {
            "reader": like(r"[a-z0-9][a-z0-9-]{0,39}"),
            "role": one_of("integrity", "content"),
            "channel": one_of("console", "api"),
            "route": one_of(
                "overview", "ledgers", "ledger", "history", "replay", "verify", "verify_all", "download"
            ),
            "ledgerId": lambda value: value is None or matches(value, LEDGER_ID),
            "bound": lambda value: fits_one(READ_BOUNDS, value),
        },
    ),
}


def fits_one(forms, data):
    return any(
        has_exactly(data, form) and all(check(data[member]) for member, check in form.items()) for form in forms
    )


def read_line(line, bodies):
    """(event, hash, None) or (None, None, cause)."""
    if len(line) > LINE_BYTES_MAX:
        return None, None, "not_json"
    try:
        value = parse_json(line)
    except Unreadable:
        return None, None, "not_json"
    if not isinstance(value, dict) or not matches(value.get("hash"), HEX):
        return None, None, "not_an_event"
    text = try_canonical(value)
    if text is None or text.encode() != line:
        return None, None, "not_canonical"
    digest = value.pop("hash")
    if sha256(canonical(value).encode()).hex() != digest:
        return None, None, "hash_differs"
    if not is_int(value.get("schemaversion"), 1, SAFE_MAX):
        return None, None, "not_an_event"
    if value["schemaversion"] > SCHEMA_VERSION:
        return None, None, "newer_schema"
    if not is_envelope(value) or not fits_one(bodies.get(value["type"], ()), value["data"]):
        return None, None, "not_an_event"
    return value, digest, None


# ---- The fold and what may follow it

NOTHING = {"proposalId": None, "causationId": None, "commitment": None, "eventId": None, "refusals": []}


def illegality(state, event, previous_time):
    """The first reason why the event may not follow, or None."""
    if previous_time is not None and event["time"] < previous_time:
        return "time_goes_back"
    present, opened, data, kind = state["present"], state["open"], event["data"], event["type"]
    in_force = present["commitment"] is not None
    open_id = None if opened is None else opened["proposalId"]
    expired = opened is not None and milliseconds(event["time"]) >= opened["expiresAt"]
    if kind == "preference.proposed":
        if data["baseRevision"] != present["revision"]:
            return "base_revision_differs"
        fits = {
            "save": not in_force,
            "correct": in_force,
            "forget": in_force or opened is not None,
        }
        return None if fits[data["operation"]] else "operation_does_not_fit"
    if kind in ("preference.approved", "preference.corrected"):
        if open_id != data["proposalId"]:
            return "proposal_is_not_open"
        if expired:
            return "proposal_was_expired"
        if data["revision"] != present["revision"] + 1:
            return "revision_is_not_next"
        if opened["commitment"] != data["commitment"]:
            return "commitment_differs"
        if (kind == "preference.corrected") != in_force:
            return "operation_does_not_fit"
        return "revision_is_not_next" if in_force and data["correctsRevision"] != present["revision"] else None
    if kind == "preference.cancelled":
        return None if open_id == data["proposalId"] else "proposal_is_not_open"
    if kind == "preference.forgotten":
        if data["revision"] != present["revision"] + 1:
            return "revision_is_not_next"
        if data["forgetsRevision"] != (present["revision"] if in_force else None):
            return "revision_is_not_next"
        if not in_force and opened is None:
            return "nothing_to_forget"
        if data["method"] != "card":
            return None
        if opened is None or opened["operation"] != "forget":
            return "proposal_is_not_open"
        return "proposal_was_expired" if expired else None
    if data["headRevision"] != present["revision"]:
        return "base_revision_differs"
    if present["proposalId"] == data["proposalId"]:
        return "refused_what_was_open"
    if open_id != data["proposalId"]:
        return None
    return None if data["reason"] == "expired" and expired else "refused_what_was_open"


def ended(held, how, revision):
    if held is None or held["proposalId"] is None:
        return []
    return [
        {
            "proposalId": held["proposalId"],
            "causationId": held["causationId"],
            "ended": how,
            "revision": revision,
            "refusals": held["refusals"],
        }
    ]


def evolve(state, event, event_hash):
    """The state after one more legal event."""
    present, opened, data, kind = state["present"], state["open"], event["data"], event["type"]
    if kind == "preference.proposed":
        again = opened is not None and opened["causationId"] == event["causationid"]
        new = {
            "proposalId": data["proposalId"],
            "eventHash": event_hash,
            "operation": data["operation"],
            "commitment": data.get("commitment"),
            "baseRevision": data["baseRevision"],
            "expiresAt": milliseconds(event["time"]) + data["validitySeconds"] * 1000,
            "causationId": event["causationid"],
            "messageId": event["correlationid"] if data["collectionMethod"] == "message" else None,
            "issue": opened["issue"] + 1 if again else 1,
            "refusals": [],
        }
        closed = state["closed"] + ended(opened, "superseded", present["revision"])
        return {"present": present, "open": new, "closed": closed[-CLOSED_KEPT:]}
    if kind in ("preference.approved", "preference.corrected"):
        new = {
            "revision": data["revision"],
            "proposalId": data["proposalId"],
            "causationId": opened["causationId"],
            "commitment": data["commitment"],
            "eventId": event["id"],
            "refusals": opened["refusals"],
        }
        how = "corrected" if kind == "preference.corrected" else "revision_moved"
        closed = state["closed"] + ended(present, how, data["revision"])
        return {"present": new, "open": None, "closed": closed[-CLOSED_KEPT:]}
    if kind == "preference.cancelled":
        closed = state["closed"] + ended(opened, "cancelled", present["revision"])
        return {"present": present, "open": None, "closed": closed[-CLOSED_KEPT:]}
    if kind == "preference.forgotten":
        by_card = data["method"] == "card"
        new = {**NOTHING, "revision": data["revision"], "eventId": event["id"]}
        if by_card:
            new.update({member: opened[member] for member in ("proposalId", "causationId", "refusals")})
        closed = state["closed"] + ended(present, "forgotten", data["revision"])
        if not by_card:
            closed = closed + ended(opened, "forgotten", data["revision"])
        return {"present": new, "open": None, "closed": closed[-CLOSED_KEPT:]}

    def add(held):
        if held is None or held["proposalId"] != data["proposalId"] or data["reason"] in held["refusals"]:
            return held
        return {**held, "refusals": held["refusals"] + [data["reason"]]}

    return {"present": add(present), "open": add(opened), "closed": [add(held) for held in state["closed"]]}


def access_illegality(state, event, previous_time):
    """The first reason why a read may not follow, or None."""
    if previous_time is not None and event["time"] < previous_time:
        return "time_goes_back"
    read = event["data"]["ledgerId"]
    is_first = sum(state["reads"].values()) == 0
    of_itself = read is not None and event["source"] == "/ledgers/" + read
    return None if is_first or of_itself or read == state["about"] else "read_of_another_ledger"


def access_evolve(state, event, _):
    """The state after one more read."""
    role, read = event["data"]["role"], event["data"]["ledgerId"]
    about = state["about"]
    if about is None and read is not None and event["source"] != "/ledgers/" + read:
        about = read
    return {"reads": {**state["reads"], role: state["reads"][role] + 1}, "about": about}


# By kind of ledger: its bodies, the state at first, what may follow, the fold.
LAWS = {
    "preference": (
        PREFERENCE_BODIES,
        {"present": {"revision": 0, **NOTHING}, "open": None, "closed": []},
        illegality,
        evolve,
    ),
    "access": (
        ACCESS_BODIES,
        {"reads": {"integrity": 0, "content": 0}, "about": None},
        access_illegality,
        access_evolve,
    ),
}


# ---- One ledger


def notice_problem(event, ledger, position, witness, notices, texts):
    if event["type"] != "preference.proposed":
        return None
    data = event["data"]
    if not data["noticeVersion"].startswith(ledger["purpose"] + "/"):
        return "notice_of_other_purpose"
    name = (data["noticeVersion"], data["language"])
    if name not in texts:
        return "notice_missing"
    if name not in notices:
        return "notice_not_recorded" if witness is not None and position <= witness[0] else None
    text = texts[name].encode("utf-8", "surrogatepass")
    return None if sha256(text).hex() == notices[name] else "notice_differs"


def content_problem(ledger, content, state):
    """`content` is False when the bundle carries none at all, None when there is none for this ledger."""
    if content is False:
        return None
    # Only preferences are ever in force.
    present = state.get("present", NOTHING)
    if present["commitment"] is None:
        return None if content is None else "content_left_behind"
    if content is None:
        return "content_missing"
    if content["revision"] != present["revision"]:
        return "content_revision_differs"
    if content["purpose"] != ledger["purpose"]:
        return "content_does_not_open"
    says = {
        "ledgerId": ledger["ledgerId"],
        "purpose": ledger["purpose"],
        "version": content["version"],
        "value": content["value"],
    }
    key = base64.urlsafe_b64decode(content["blindingKey"] + "=")
    made = hmac.new(key, canonical(says).encode(), hashlib.sha256).hexdigest()
    return None if hmac.compare_digest(made, present["commitment"]) else "content_does_not_open"


def judge_ledger(ledger, content, lines, witness, notices, texts):
    """(position, cause) of the first problem, or None."""
    if ledger["kind"] not in LAWS:
        return 0, "unknown_kind"
    bodies, state, may_not_follow, fold = LAWS[ledger["kind"]]
    digest = sha256(b"local-ledger/v1|", ledger["ledgerId"].encode()).hex()
    time, position = None, 0
    for line in lines:
        position += 1
        event, line_hash, cause = read_line(line, bodies)
        if cause is not None:
            return position, cause
        if event["position"] != position:
            return position, "position_differs"
        if event["source"] != "/ledgers/" + ledger["ledgerId"]:
            return position, "other_ledger"
        if event["subject"] != ledger["subjectKey"]:
            return position, "other_subject"
        if event["previoushash"] != digest:
            return position, "link_differs"
        cause = may_not_follow(state, event, time)
        cause = cause or notice_problem(event, ledger, position, witness, notices, texts)
        if cause is not None:
            return position, cause
        state = fold(state, event, line_hash)
        if witness is not None and witness[1].get(position, line_hash) != line_hash:
            return position, "witnessed_hash_differs"
        digest, time = line_hash, event["time"]
    if (witness is not None and witness[0] > position) or ledger["position"] > position:
        return position + 1, "cut_off"
    if ledger["position"] < position:
        return ledger["position"] + 1, "head_behind_events"
    if ledger["hash"] != digest:
        return position, "head_hash_differs"
    if ledger["time"] != time:
        return position, "head_time_differs"
    if canonical(ledger["state"]) != canonical(state):
        return position, "head_state_differs"
    cause = content_problem(ledger, content, state)
    return None if cause is None else (position, cause)


# ---- One bundle


def is_ledger_entry(ledger):
    return (
        has_exactly(ledger, ("ledgerId", "kind", "purpose", "subjectKey", "position", "hash", "time", "state"))
        and matches(ledger["ledgerId"], LEDGER_ID)
        and matches(ledger["subjectKey"], LEDGER_ID)
        and isinstance(ledger["kind"], str)
        and isinstance(ledger["purpose"], str)
        and is_int(ledger["position"], 1)
        and matches(ledger["hash"], HEX)
        and is_time(ledger["time"])
    )


def is_manifest(manifest):
    members = ("formatVersion", "generatedAt", "scope", "content", "counts", "files", "ledgers", "notices")
    if not has_exactly(manifest, members) or not is_time(manifest["generatedAt"]):
        return False
    if not one_of("all", "selected")(manifest["scope"]) or not one_of("none", "in_force")(manifest["content"]):
        return False
    if not has_exactly(manifest["counts"], ("ledgers", "events")) or not isinstance(manifest["files"], dict):
        return False
    ledgers, notices = manifest["ledgers"], manifest["notices"]
    if not isinstance(ledgers, list) or not all(map(is_ledger_entry, ledgers)):
        return False
    ids = [ledger["ledgerId"] for ledger in ledgers]
    if any(one >= other for one, other in zip(ids, ids[1:])):
        return False
    return isinstance(notices, list) and all(
        has_exactly(notice, ("version", "language", "text"))
        and all(isinstance(text, str) for text in notice.values())
        for notice in notices
    )


def lines_of(data):
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def sort_lines(lines, ledgers):
    order = {"/ledgers/" + ledger["ledgerId"]: index for index, ledger in enumerate(ledgers)}
    result = [[] for _ in ledgers]
    current = 0
    for line in lines:
        named, position = -1, None
        if len(ledgers) > 1 and len(line) <= LINE_BYTES_MAX:
            try:
                value = parse_json(line)
            except Unreadable:
                value = None
            if isinstance(value, dict):
                source, position = value.get("source"), value.get("position")
                named = order.get(source, -1) if isinstance(source, str) else -1
        complete = len(result[current]) >= ledgers[current]["position"]
        if named > current and (complete or (type(position) is int and position == 1)):
            current = named
        result[current].append(line)
    return result


def contents_of(data):
    contents = {}
    for line in lines_of(data):
        try:
            content = parse_json(line)
        except Unreadable:
            return None
        good = (
            has_exactly(content, ("ledgerId", "revision", "purpose", "version", "value", "blindingKey"))
            and matches(content["ledgerId"], LEDGER_ID)
            and is_int(content["revision"], 1)
            and isinstance(content["purpose"], str)
            and is_int(content["version"], 1, 1)
            and isinstance(content["value"], str)
            and matches(content["blindingKey"], LEDGER_ID)
            and (try_canonical(content) or "").encode() == line
            and content["ledgerId"] not in contents
        )
        if not good:
            return None
        contents[content["ledgerId"]] = content
    return contents


def verify_bundle(read, key, seen, want_all=False):
    """Judges one bundle.

    read(name) gives bytes, "missing" or "unreadable"; key is of read_key, seen of read_note or None. With want_all a
    bundle of less than all ledgers the checkpoint knows is a problem, whatever the bundle says it is.
    Returns (exit code, report).
    """
    problems = []

    def whole(cause, file=None):
        problem = {"ledgerId": None, "position": 0, "cause": cause}
        problems.append(problem if file is None else {**problem, "file": file})

    def report(code, **more):
        base = {"ok": code == 0, "ledgers": 0, "events": 0, "problems": problems}
        base["notYetWitnessed"] = {"ledgers": 0, "events": 0, "tails": []}
        return code, {**base, "coverage": None, "checkpoint": None, **more}

    names = ("manifest.json", "events.ndjson", "checkpoint.txt", "proofs.json")
    files = {name: read(name) for name in names}
    if all(data == "missing" for data in files.values()):
        whole("bundle_missing")
        return report(3)
    manifest = None
    if isinstance(files["manifest.json"], bytes):
        manifest = parse_canonical_file(files["manifest.json"])
    if isinstance(manifest, dict) and manifest.get("content") == "in_force":
        files[CONTENT_FILE] = read(CONTENT_FILE)
    for name, data in files.items():
        if isinstance(data, str):
            whole("file_" + data, name)
    if problems:
        return report(1)
    version = manifest.get("formatVersion") if isinstance(manifest, dict) else None
    if is_int(version, FORMAT_VERSION + 1):
        whole("newer_format", "manifest.json")
        return report(1)
    if not is_int(version, FORMAT_VERSION, FORMAT_VERSION) or not is_manifest(manifest):
        whole("manifest_unreadable", "manifest.json")
        return report(1)
    if not manifest["ledgers"]:
        whole("nothing_to_judge")
        return report(3)
    result = judge(manifest, files, key, seen, want_all, problems, whole)
    return report(1 if problems else 0, **result)


def judge(manifest, files, key, seen, want_all, problems, whole):
    lines = lines_of(files["events.ndjson"])
    ledgers = manifest["ledgers"]
    log, log_cause = judge_log(files["checkpoint.txt"], parse_canonical_file(files["proofs.json"]), key)
    notices = {} if log is None else log["notices"]
    texts = {(notice["version"], notice["language"]): notice["text"] for notice in manifest["notices"]}
    contents = contents_of(files[CONTENT_FILE]) if manifest["content"] == "in_force" else None
    tails, witnessed_ledgers = [], 0
    for ledger, own in zip(ledgers, sort_lines(lines, ledgers)):
        ledger_id = ledger["ledgerId"]
        witness = None if log is None else witness_of(ledger_id, log)
        content = False if contents is None else contents.get(ledger_id)
        problem = judge_ledger(ledger, content, own, witness, notices, texts)
        if problem is None and log is not None and witness is None:
            problem = (0, "head_not_proven")
        if problem is not None:
            problems.append({"ledgerId": ledger_id, "position": problem[0], "cause": problem[1]})
        newest = 0 if witness is None else witness[0]
        witnessed_ledgers += newest > 0
        if len(own) > newest:
            tails.append({"ledgerId": ledger_id, "fromPosition": newest + 1, "events": len(own) - newest})
    if log is None:
        whole(log_cause)
    else:
        cause = None if seen is None else judge_seen(seen, log, key)
        if cause is not None:
            whole(cause)
        if (want_all or manifest["scope"] == "all") and witnessed_ledgers != log["heads"]["ledgers"]:
            whole("ledger_missing")
    if want_all and manifest["scope"] != "all":
        whole("scope_not_all", "manifest.json")
    if contents is None and manifest["content"] == "in_force":
        whole("content_unreadable", CONTENT_FILE)
    if contents is not None and not set(contents) <= {ledger["ledgerId"] for ledger in ledgers}:
        whole("content_left_behind", CONTENT_FILE)
    file_problems(manifest, files, whole)
    counts = manifest["counts"]
    if canonical([counts["ledgers"], counts["events"]]) != canonical([len(ledgers), len(lines)]):
        whole("counts_differ", "manifest.json")
    checkpoint = None
    if log is not None:
        note = log["note"]
        root = base64.b64encode(note["root"]).decode()
        checkpoint = {"origin": note["origin"], "size": note["size"], "root": root}
    known = None if log is None else log["heads"]["ledgers"]
    unwitnessed = {"ledgers": len(tails), "events": sum(tail["events"] for tail in tails), "tails": tails}
    return {
        "ledgers": len(ledgers),
        "events": len(lines),
        "notYetWitnessed": unwitnessed,
        "coverage": {"scope": manifest["scope"], "witnessed": witnessed_ledgers, "known": known},
        "checkpoint": checkpoint,
    }


def file_problems(manifest, files, whole):
    named = [name for name in files if name != "manifest.json"]
    if not has_exactly(manifest["files"], named):
        whole("manifest_unreadable", "manifest.json")
        return
    for name in named:
        entry, data = manifest["files"][name], files[name]
        good = has_exactly(entry, ("bytes", "sha256")) and is_int(entry["bytes"], 0, SAFE_MAX)
        if not good or entry["bytes"] != len(data) or entry["sha256"] != sha256(data).hex():
            whole("file_differs", name)


# ---- The command line

USAGE = "python3 verify_bundle.py <bundle folder>... --key <public key file> [--seen <older checkpoint file>] [--all]"


def coverage_words(coverage):
    """How much of what the checkpoint knows is in a bundle."""
    if coverage["known"] is None:
        return f"no checkpoint holds, so nothing shows which ledgers there are; {coverage['scope']}"
    return f"{coverage['witnessed']} of {coverage['known']} ledgers known to the checkpoint; {coverage['scope']}"


def folder_reader(folder):
    def read(name):
        try:
            with open(os.path.join(folder, name), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        except OSError:
            return "unreadable"

    return read


class WrongUse(Exception):
    """The command line does not say what to do."""


def read_arguments(argv):
    bundles, options, at = [], {}, 0
    while at < len(argv):
        word = argv[at]
        if word in ("--key", "--seen") and at + 1 < len(argv):
            options[word] = argv[at + 1]
            at += 2
        elif word == "--all":
            options[word] = True
            at += 1
        elif word.startswith("-"):
            raise WrongUse("Unknown or unfinished option " + word)
        else:
            bundles.append(word)
            at += 1
    if not bundles or "--key" not in options:
        raise WrongUse("Name a bundle and --key")
    for bundle in bundles:
        if os.path.exists(bundle) and not os.path.isdir(bundle):
            raise WrongUse(bundle + " is not a folder")
    try:
        with open(options["--key"], "rb") as file:
            key = read_key(file.read().decode("utf-8").strip())
        seen = None
        if "--seen" in options:
            with open(options["--seen"], "rb") as file:
                seen = read_note(file.read())
    except (OSError, ValueError) as error:
        raise WrongUse(str(error)) from error
    if key is None:
        raise WrongUse(options["--key"] + " does not hold a public key of a checkpoint log")
    if "--seen" in options and seen is None:
        raise WrongUse(options["--seen"] + " does not hold a checkpoint")
    return bundles, key, seen, "--all" in options


def main(argv):
    try:
        bundles, key, seen, want_all = read_arguments(argv)
    except WrongUse as error:
        print(error, USAGE, sep="\n", file=sys.stderr)
        return 2
    reports = [(bundle, *verify_bundle(folder_reader(bundle), key, seen, want_all)) for bundle in bundles]
    for bundle, _, report in reports:
        for problem in report["problems"]:
            place = problem.get("file", "bundle")
            if problem["ledgerId"] is not None:
                place = f"{problem['ledgerId']} position {problem['position']}"
            print(f"{bundle}: {place}: {problem['cause']}", file=sys.stderr)
        if report["coverage"] is not None:
            print(f"{bundle}: {coverage_words(report['coverage'])}", file=sys.stderr)
    if len(reports) == 1:
        answer = reports[0][2]
    else:
        answer = {
            "ok": all(report["ok"] for _, _, report in reports),
            "bundles": [{"bundle": bundle, **report} for bundle, _, report in reports],
        }
    print(json.dumps(answer, separators=(",", ":")))
    codes = [code for _, code, _ in reports]
    return 1 if 1 in codes else 3 if 3 in codes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
