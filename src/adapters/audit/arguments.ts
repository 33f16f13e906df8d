/**
 * The words of `npm run ledger -- …`, read strictly: an option nobody knows is a mistake, not a default.
 * @module
 */
import { parseArgs } from 'node:util';
import type { Bound } from '../../projections/replay.ts';
import { readMoment } from './moments.ts';

export const LEDGER_COMMANDS = ['history', 'replay', 'verify', 'inspect'] as const;
export type LedgerCommand = (typeof LEDGER_COMMANDS)[number];

/** Whose ledger: the channel's user id (turned into a subjectKey, never printed), a subjectKey, a ledgerId, or all. */
export type Target =
  | { readonly by: 'user'; readonly userId: string }
  | { readonly by: 'subject'; readonly subjectKey: string }
  | { readonly by: 'ledger'; readonly ledgerId: string }
  | { readonly by: 'all' };

export type LedgerArguments = {
  readonly command: LedgerCommand;
  readonly target: Target;
  readonly purpose: string | null;
  readonly bound: Bound;
  /** Words on stderr are left out. */
  readonly json: boolean;
};

export const LEDGER_USAGE = `npm run ledger -- <history|replay|verify|inspect>
  --user U… | --subject <subjectKey> | --ledger <ledgerId> | --all
  [--purpose <purpose>]
  [--through-revision N | --through-position N | --at <RFC 3339 with offset>]   (history, replay; inclusive)
  [--json]
npm run ledger -- turn <turnId> [--json]   one message: call, proposal, card, tap, revision, later answers
JSON on stdout, words on stderr. Exit: 0 good, 1 the ledger is not as it should be, 2 wrong use, 3 nothing to judge.`;

/** The channel's ids of messages and events: no white space, nothing that could be taken for an option. */
const TURN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** Reads the arguments after `ledger turn`. */
export function readTurnArguments(
  argv: readonly string[],
): { ok: true; turnId: string; json: boolean } | { ok: false; message: string } {
  const [turnId, ...rest] = argv.filter((word) => word !== '--json');
  if (turnId === undefined || rest.length > 0 || !TURN_ID.test(turnId)) {
    return { ok: false, message: 'Name one turn: the id of a message or event, as log lines carry it' };
  }
  return { ok: true, turnId, json: argv.includes('--json') };
}

/** Reads the arguments after `ledger`. */
export function readLedgerArguments(
  argv: readonly string[],
): { ok: true; arguments: LedgerArguments } | { ok: false; message: string } {
  const wrong = (message: string) => ({ ok: false, message }) as const;
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : 'unreadable arguments');
  }
  const { values, positionals } = parsed;
  const command = LEDGER_COMMANDS.find((known) => known === positionals[0]);
  if (command === undefined || positionals.length !== 1) return wrong('Name one of: history, replay, verify, inspect');
  const targets = [values.user, values.subject, values.ledger, values.all].filter((given) => given !== undefined);
  if (targets.length !== 1) return wrong('Name exactly one of --user, --subject, --ledger, --all');
  const target = targetOf(values);
  if (target === null)
    return wrong('--user is U and 32 hex digits; --subject and --ledger are 43 characters of base64url');
  if (target.by === 'all' && (command === 'replay' || command === 'inspect'))
    return wrong(`${command} is about one ledger`);
  const bounds = [values['through-revision'], values['through-position'], values.at].filter(
    (given) => given !== undefined,
  );
  if (bounds.length > 1) return wrong('Give at most one of --through-revision, --through-position, --at');
  if (bounds.length === 1 && (command === 'verify' || command === 'inspect')) return wrong(`${command} has no bound`);
  const bound = boundOf(values);
  if (bound === null) {
    return wrong('Bounds are whole numbers from 0, or a time such as 2026-11-30T12:00:00+08:00 (an offset is needed)');
  }
  return {
    ok: true,
    arguments: { command, target, purpose: values.purpose ?? null, bound, json: values.json ?? false },
  };
}

function parse(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    strict: true,
    options: {
      user: { type: 'string' },
      subject: { type: 'string' },
      ledger: { type: 'string' },
      all: { type: 'boolean' },
      purpose: { type: 'string' },
      'through-revision': { type: 'string' },
      'through-position': { type: 'string' },
      at: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
}

type Values = ReturnType<typeof parse>['values'];

function targetOf({ user, subject, ledger }: Values): Target | null {
  const digest = /^[A-Za-z0-9_-]{43}$/;
  if (user !== undefined) return /^U[0-9a-f]{32}$/.test(user) ? { by: 'user', userId: user } : null;
  if (subject !== undefined) return digest.test(subject) ? { by: 'subject', subjectKey: subject } : null;
  if (ledger !== undefined) return digest.test(ledger) ? { by: 'ledger', ledgerId: ledger } : null;
  return { by: 'all' };
}

function boundOf(values: Values): Bound | null {
  const revision = values['through-revision'];
  const position = values['through-position'];
  const whole = /^\d{1,9}$/;
  if (revision !== undefined)
    return whole.test(revision) ? { kind: 'through_revision', revision: Number(revision) } : null;
  if (position !== undefined)
    return whole.test(position) ? { kind: 'through_position', position: Number(position) } : null;
  if (values.at === undefined) return { kind: 'all' };
  const at = readMoment(values.at);
  return at === null ? null : { kind: 'at', at };
}
