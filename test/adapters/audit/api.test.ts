/**
 * Goal: the API says what the ledgers say, in the shape its description promises, and never repeats what was sent.
 * Method: requests to its routes over a store in memory; each answer is parsed by the schema that describes it.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import * as v from 'valibot';
import { API_ROUTES } from '../../../src/adapters/audit/api-routes.ts';
import {
  HistoryAnswer,
  LedgerAnswer,
  LedgersAnswer,
  ProblemAnswer,
  PROBLEMS,
  ReplayAnswer,
  VerifyAnswer,
} from '../../../src/adapters/audit/api-schemas.ts';
import { canonicalBytes, type CanonicalValue } from '../../../src/events/canonical.ts';
import { sha256Hex } from '../../../src/events/chain.ts';
import { type Audited, startAudited } from './audited.ts';

let audited: Audited;
beforeAll(async () => {
  audited = await startAudited();
});

type Role = 'integrity' | 'content';
async function ask<S extends v.GenericSchema>(role: Role, path: string, schema: S): Promise<v.InferOutput<S>> {
  const response = await audited.as(role, `/audit/api${path}`);
  expect(response.status).toBe(200);
  return v.parse(schema, await response.json());
}
async function problemOf(path: string): Promise<v.InferOutput<typeof ProblemAnswer>> {
  const response = await audited.as('content', `/audit/api${path}`);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = v.parse(ProblemAnswer, await response.json());
  expect([problem.status, problem.title]).toStrictEqual([response.status, PROBLEMS[problem.code].title]);
  return problem;
}
const of = (who: keyof Audited['people']): string => `/ledgers/${audited.people[who].ref.ledgerId}`;

test('pages of ledgers lead through all of them once, in order', async () => {
  const seen: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const query: string = next === '' ? '' : `&after=${next}`;
    const page: v.InferOutput<typeof LedgersAnswer> = await ask('content', `/ledgers?limit=1${query}`, LedgersAnswer);
    seen.push(...page.ledgers.map(({ ledgerId }) => ledgerId));
    next = page.next;
  }
  expect(seen).toStrictEqual(seen.toSorted());
  expect(new Set(seen).size).toBe(seen.length);
  for (const { ref } of Object.values(audited.people)) expect(seen).toContain(ref.ledgerId);
});

test('pages of one kind are of that kind only, and come to an end', async () => {
  const seen: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const query: string = next === '' ? '' : `&after=${next}`;
    const page: v.InferOutput<typeof LedgersAnswer> = await ask(
      'integrity',
      `/ledgers?kind=preference&limit=1${query}`,
      LedgersAnswer,
    );
    seen.push(...page.ledgers.map(({ kind }) => kind));
    next = page.next;
  }
  expect(seen).toStrictEqual(['preference', 'preference', 'preference']);
});

test('one ledger by its head, with where its looks are recorded', async () => {
  const ledger = await ask('integrity', of('keeping'), LedgerAnswer);
  expect(ledger).toMatchObject({ position: 7, revision: 2, inForce: true, checkpoint: { state: 'not_configured' } });
  const looks = await ask('integrity', `/ledgers/${ledger.accessLedgerId}/history`, HistoryAnswer);
  expect(looks.events.map(({ event }) => event.data['route'])).toContain('ledger');
});

describe('history', () => {
  test('each refusal comes with the head it met', async () => {
    const { events } = await ask('integrity', `${of('keeping')}/history`, HistoryAnswer);
    expect(
      events.filter(({ event }) => event.type === 'card.refused').map(({ event, met }) => [event.data['reason'], met]),
    ).toStrictEqual([
      [
        'expired',
        {
          position: 3,
          hash: events[2]?.event.hash,
          revision: 1,
          inForce: true,
          openProposalId: events[2]?.event.data['proposalId'],
        },
      ],
      ['corrected', { position: 6, hash: events[5]?.event.hash, revision: 2, inForce: true, openProposalId: null }],
    ]);
  });

  test('to the role content: the events as they are stored, so that the hash can be made again', async () => {
    const { events } = await ask('content', `${of('keeping')}/history`, HistoryAnswer);
    for (const { event } of events) {
      const { hash, ...stored } = event;
      expect(sha256Hex(canonicalBytes(stored as unknown as CanonicalValue))).toBe(hash);
    }
  });

  test('a page at a time', async () => {
    const first = await ask('content', `${of('keeping')}/history?limit=4`, HistoryAnswer);
    const rest = await ask('content', `${of('keeping')}/history?limit=4&from=${first.next}`, HistoryAnswer);
    expect([...first.events, ...rest.events].map(({ event }) => event.position)).toStrictEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(rest.next).toBeNull();
    expect((await ask('content', `${of('keeping')}/history?from=8`, HistoryAnswer)).events).toStrictEqual([]);
  });
});

describe('replay', () => {
  const rows: readonly (readonly [who: 'keeping' | 'forgot' | 'cancelled', query: string, expected: object])[] = [
    ['keeping', '', { revision: 2, state: 'in_force', value: { code: 'ovo_lacto', label: '蛋奶素' }, erased: null }],
    ['keeping', '?throughRevision=1', { position: 2, state: 'erased', value: null, erased: { by: 'corrected' } }],
    ['keeping', '?throughRevision=0', { position: 0, state: 'none', consent: null, notice: null }],
    ['keeping', '?throughPosition=5', { position: 5, revision: 1, state: 'erased', proposalOpen: true }],
    ['keeping', '?at=2026-01-05T10:00:00%2B08:00', { position: 2, revision: 1, state: 'erased' }],
    ['keeping', '?at=2026-01-05T01:59:59Z', { position: 0, state: 'none' }],
    ['forgot', '?throughRevision=1', { state: 'erased', value: null, erased: { by: 'forgotten' } }],
    ['forgot', '', { revision: 2, state: 'none', value: null, consent: null }],
    ['cancelled', '', { revision: 0, state: 'none', proposalOpen: false }],
  ];
  test.each(rows)('%s%s', async (who, query, expected) => {
    expect(await ask('content', `${of(who)}/replay${query}`, ReplayAnswer)).toMatchObject(expected);
  });

  test('consent comes with the words of the notice it was given on', async () => {
    const replayed = await ask('integrity', `${of('keeping')}/replay`, ReplayAnswer);
    expect(replayed.consent?.noticeVersion).toBe('diet_for_place_search/1');
    expect(replayed.notice).toContain('同意後，LOCAL 會替這個帳號記住');
  });

  test('the role integrity is told that something is in force, and not what', async () => {
    const replayed = await ask('integrity', `${of('keeping')}/replay`, ReplayAnswer);
    expect(replayed).toMatchObject({ state: 'in_force', value: null, isWithheld: true });
  });
});

test('verify: as it should be, and the access ledger it was recorded in too', async () => {
  expect(await ask('integrity', `${of('forgot')}/verify`, VerifyAnswer)).toMatchObject({ ok: true, events: 4 });
  const { accessLedgerId } = await ask('integrity', of('forgot'), LedgerAnswer);
  expect(await ask('integrity', `/ledgers/${accessLedgerId}/verify`, VerifyAnswer)).toMatchObject({ ok: true });
});

describe('what is not answered', () => {
  const hostile = '"><script>alert(1)</script>';
  const unknown = 'A'.repeat(43);
  const rows: readonly (readonly [path: string, code: string, parameters?: readonly string[]])[] = [
    [`/ledgers/${unknown}`, 'not_found'],
    [`/ledgers/${unknown}/history`, 'not_found'],
    [`/ledgers/${encodeURIComponent(hostile)}`, 'invalid_request', ['ledgerId']],
    ['/ledgers/..%2f..%2fetc', 'invalid_request', ['ledgerId']],
    [`/ledgers?after=${encodeURIComponent(hostile)}`, 'invalid_request', ['after']],
    ['/ledgers?after=', 'invalid_request', ['after']],
    ['/ledgers?limit=0', 'invalid_request', ['limit']],
    ['/ledgers?limit=201', 'invalid_request', ['limit']],
    ['/ledgers?limit=1e2', 'invalid_request', ['limit']],
    ['/ledgers?limit=1&limit=2', 'invalid_request', ['limit']],
    ['/ledgers?kind=__proto__', 'invalid_request', ['kind']],
    [`/ledgers?${encodeURIComponent(hostile)}=1`, 'invalid_request', ['unknown or repeated']],
    ['/ledgers?__proto__=1', 'invalid_request', ['unknown or repeated']],
    ['KEEPING/history?from=-1', 'invalid_request', ['from']],
    ['KEEPING/history?from=99999999999', 'invalid_request', ['from']],
    ['KEEPING/replay?throughRevision=3', 'beyond_end'],
    ['KEEPING/replay?throughPosition=8', 'beyond_end'],
    ['KEEPING/replay?throughRevision=1&throughPosition=1', 'invalid_request'],
    ['KEEPING/replay?at=2026-01-05T10:00:00', 'invalid_request', ['at']],
    ['KEEPING/replay?at=2026-13-45T10:00:00Z', 'invalid_request', ['at']],
    ['KEEPING/replay?at=2026-11-31T10:00:00Z', 'invalid_request', ['at']],
    ['KEEPING/replay?at=2026-02-29T10:00:00%2B08:00', 'invalid_request', ['at']],
    ['/nothing', 'no_such_route'],
    ['/ledgers/', 'no_such_route'],
  ];
  test.each(rows.map(([path, code, parameters]) => ({ path, code, parameters })))(
    '$path: $code $parameters',
    async ({ path, code, parameters }) => {
      const problem = await problemOf(path.replace('KEEPING', of('keeping')));
      expect(problem.code).toBe(code);
      if (parameters !== undefined) expect(problem.parameters).toStrictEqual(parameters);
      expect(JSON.stringify(problem)).not.toMatch(/script|etc|proto/);
    },
  );

  test('an access ledger holds no preference to replay', async () => {
    const { accessLedgerId } = await ask('content', of('keeping'), LedgerAnswer);
    expect((await problemOf(`/ledgers/${accessLedgerId}/replay`)).code).toBe('no_preference');
  });

  test('POST and DELETE find nothing to do', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect((await audited.routes.request('/audit/api/ledgers', { method })).status).toBe(404);
  });
});

describe('OpenAPI', () => {
  test('describes every route with the schemas that check it, for everybody to read', async () => {
    const response = await audited.as('nobody', '/audit/api/openapi.json');
    const document = (await response.json()) as {
      openapi: string;
      paths: Record<string, { get: { operationId: string; parameters: { name: string; in: string }[] } }>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toStrictEqual(
      API_ROUTES.map(({ path }) => path.replace(':ledgerId', '{ledgerId}')),
    );
    const replay = document.paths['/ledgers/{ledgerId}/replay']?.get;
    expect(replay?.parameters.map((each) => `${each.in} ${each.name}`)).toStrictEqual([
      'path ledgerId',
      'query throughRevision',
      'query throughPosition',
      'query at',
    ]);
    const ids = Object.values(document.paths).map(({ get }) => get.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every answer of the API is described: nothing beside it, nothing missing', () => {
    for (const { answer } of API_ROUTES) expect(v.safeParse(answer, {}).success).toBe(false);
  });
});
