/**
 * Goal: only who may looks, only after the look was recorded, and nobody sees more than their role allows.
 * Method: every route of console and API, asked as nobody and as each role, over people who have decided.
 */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/adapters/audit/api-routes.ts';
import { readAnyLedger, verifyLedger } from '../../../src/adapters/audit/reading.ts';
import { StoreUnavailable } from '../../../src/events/ports.ts';
import { DIET_FOR_PLACE_SEARCH } from '../../../src/events/purposes.ts';
import { personOn } from '../../support/ledger-world.ts';
import { memoryLedger } from '../../support/memory-ledger.ts';
import { type Audited, form, startAudited, TOKENS } from './audited.ts';

let audited: Audited;
beforeAll(async () => {
  audited = await startAudited();
});

const idOf = (who: keyof Audited['people'], from = audited): string => from.people[who].ref.ledgerId;

/** Every address that shows something of ledgers. */
function routesOf(from: Audited): readonly string[] {
  const ids = [idOf('keeping', from), idOf('forgot', from), idOf('cancelled', from)];
  const ofLedger = [
    '',
    '/verify',
    '/history.ndjson',
    '?revision=0',
    '?revision=1',
    '?position=1',
    '?at=2026-01-06T00:00',
  ];
  const api = API_ROUTES.map(({ path }) => `/audit/api${path}`);
  return [
    '/audit',
    '/audit/verify',
    '/audit/ledgers',
    '/audit/ledgers?kind=preference',
    ...ids.flatMap((id) =>
      ofLedger.map((rest) => `/audit/ledgers/${id}${rest === '?revision=1' && id === ids[2] ? '' : rest}`),
    ),
    ...api.flatMap((path) => (path.includes(':ledgerId') ? ids.map((id) => path.replace(':ledgerId', id)) : [path])),
  ];
}

describe('who is shown what', () => {
  test('nobody is shown anything without a token, whatever they ask for', async () => {
    for (const path of [...routesOf(audited), '/audit/nothing', `/audit/ledgers/${'x'.repeat(43)}`]) {
      const response = await audited.as('nobody', path);
      expect([path, response.status]).toStrictEqual([path, path === '/audit' ? 200 : 401]);
      const text = await response.text();
      for (const { ref } of Object.values(audited.people)) expect(text).not.toContain(ref.ledgerId);
    }
  });

  test.each(['integrity', 'content'] as const)('the role %s may ask everything', async (role) => {
    for (const path of routesOf(audited)) {
      const response = await audited.as(role, path);
      expect([path, response.status]).toStrictEqual([path, 200]);
      await response.text();
    }
  });

  test('in no answer to the role integrity is there a value, a label of one, a blinding key or the key of a person', async () => {
    const secrets = [
      ...DIET_FOR_PLACE_SEARCH.values.flatMap(({ value, label }) => [value, label['zh-TW']]),
      ...Object.values(audited.people).map(({ subjectKey }) => subjectKey),
      'blindingKey',
    ];
    for (const language of ['zh-TW', 'en']) {
      for (const path of routesOf(audited)) {
        const text = await (await audited.as('integrity', path, { 'accept-language': language })).text();
        // The purpose's own name is public.
        const shown = text.replaceAll('diet_for_place_search', '');
        for (const secret of secrets)
          expect([path, secret, shown.includes(secret)]).toStrictEqual([path, secret, false]);
      }
    }
  });

  test('in no page is there the key of a person, for any role', async () => {
    for (const path of routesOf(audited).filter((path) => !/api|ndjson/.test(path))) {
      const text = await (await audited.as('content', path)).text();
      for (const { subjectKey } of Object.values(audited.people)) expect(text).not.toContain(subjectKey);
    }
  });

  test('the role content sees the value while it is in force, and nothing of one that is erased', async () => {
    const shown = async (path: string): Promise<string> => (await audited.as('content', path)).text();
    expect(await shown(`/audit/ledgers/${idOf('keeping')}`)).toContain('蛋奶素');
    for (const path of [`${idOf('keeping')}?revision=1`, `${idOf('forgot')}?revision=1`, idOf('forgot')]) {
      const text = await shown(`/audit/ledgers/${path}`);
      for (const { value, label } of DIET_FOR_PLACE_SEARCH.values)
        expect([path, text.includes(label['zh-TW']) || text.includes(`<code>${value}`)]).toStrictEqual([path, false]);
    }
  });
});

describe('every look is recorded before it is shown', () => {
  test('each route leaves one look with its reader, its role, what and up to where', async () => {
    const own = await startAudited();
    const id = idOf('keeping', own);
    await own.as('content', `/audit/ledgers/${id}?revision=1`);
    await own.as('integrity', `/audit/api/ledgers/${id}/replay?throughPosition=3`);
    await own.as('integrity', `/audit/ledgers/${id}/verify`);
    await own.as('content', `/audit/ledgers/${id}/history.ndjson`);
    await own.as('integrity', '/audit');
    const refs = await own.ledger.ledgers(null, 100);
    const looks = await Promise.all(
      refs.filter(({ kind }) => kind === 'access').map(async (ref) => (await readAnyLedger(own.ledger, ref)).events),
    );
    expect(
      looks.map((events) =>
        events.map(({ event: { data } }) => [
          data['reader'],
          data['channel'],
          data['route'],
          data['ledgerId'],
          data['bound'],
        ]),
      ),
    ).toStrictEqual(
      expect.arrayContaining([
        [
          ['content-reader', 'console', 'ledger', id, { kind: 'through_revision', revision: 1 }],
          ['integrity-reader', 'api', 'replay', id, { kind: 'through_position', position: 3 }],
          ['integrity-reader', 'console', 'verify', id, { kind: 'all' }],
          ['content-reader', 'console', 'download', id, { kind: 'all' }],
        ],
        [['integrity-reader', 'console', 'overview', null, { kind: 'all' }]],
      ]),
    );
    for (const ref of refs) expect((await verifyLedger(own.ledger, ref)).problem).toBeNull();
  });

  test.each([
    ['the store refuses', () => Promise.reject(new StoreUnavailable('Not now'))],
    ['the store breaks', () => Promise.reject(new Error('disk'))],
    ['it always conflicts', () => Promise.resolve({ status: 'conflict' } as const)],
  ])('if it cannot be, because %s: 503, and nothing is shown', async (_, commit) => {
    const ledger = memoryLedger();
    const own = await startAudited({ ledger, accessStore: { head: ledger.head, commit } });
    for (const role of ['integrity', 'content'] as const) {
      for (const path of routesOf(own)) {
        const response = await own.as(role, path);
        const text = await response.text();
        expect([path, response.status]).toStrictEqual([path, 503]);
        expect(text).not.toMatch(/preference\.|蛋奶素|timeline|"ledgers"/);
        expect(text).toMatch(/access_not_recorded|沒有顯示任何內容/);
      }
    }
  });

  test('what does not exist leaves no look and opens no ledger', async () => {
    const own = await startAudited();
    const before = (await own.ledger.ledgers(null, 100)).length;
    expect((await own.as('content', `/audit/ledgers/${'x'.repeat(43)}`)).status).toBe(404);
    expect((await own.as('content', `/audit/api/ledgers/${'x'.repeat(43)}/verify`)).status).toBe(404);
    expect((await own.ledger.ledgers(null, 100)).length).toBe(before);
  });
});

describe('headers', () => {
  test('no page may load anything from elsewhere, be framed, or be kept', async () => {
    for (const path of [
      '/audit',
      '/audit/ledgers',
      `/audit/ledgers/${idOf('keeping')}`,
      '/audit/api/ledgers',
      '/audit/no',
    ]) {
      const { headers } = await audited.as('content', path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|http|\*|data:/);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('pages have no inline script, no inline style, and name no other host', async () => {
    for (const path of routesOf(audited).filter((path) => !/api|ndjson/.test(path))) {
      const text = await (await audited.as('content', path)).text();
      expect(text).not.toMatch(/ style=|<style|javascript:| on[a-z]+="/);
      expect(text).not.toMatch(/(src|href|action)="(https?:)?\/\//);
      expect([...text.matchAll(/<script([^>]*)>([^<]*)/g)].map(([, , inside]) => inside)).toStrictEqual(['']);
    }
  });

  test('files of the console are what they are called, and no others are served', async () => {
    for (const [name, type] of [
      ['console.css', 'text/css'],
      ['drawings.css', 'text/css'],
      ['console.js', 'text/javascript'],
      ['icon.svg', 'image/svg+xml'],
    ] as const)
      expect((await audited.as('nobody', `/audit/assets/${name}`)).headers.get('content-type')).toContain(type);
    for (const name of ['..%2fconsole.ts', '__proto__', 'constructor', 'x'])
      expect((await audited.as('nobody', `/audit/assets/${name}`)).status).toBe(404);
  });
});

describe('what a stranger may send', () => {
  const hostile = '"><img src=x onerror=alert(1)>';
  test.each([
    [`/audit/ledgers?after=${encodeURIComponent(hostile)}`, 400],
    [`/audit/ledgers?kind=${encodeURIComponent(hostile)}`, 400],
    ['/audit/ledgers?kind=constructor', 400],
    [`/audit/verify?after=${encodeURIComponent(hostile)}`, 400],
    [`/audit/ledgers/${encodeURIComponent(hostile)}`, 404],
    ['/audit/ledgers/..%2f..%2fetc%2fpasswd', 404],
    [`KEEPING?revision=${encodeURIComponent(hostile)}`, 400],
    ['KEEPING?revision=-1', 400],
    ['KEEPING?revision=3', 404],
    ['KEEPING?position=1e3', 400],
    ['KEEPING?position=999999999', 404],
    ['KEEPING?revision=1&position=1', 400],
    ['KEEPING?at=yesterday', 400],
    ['KEEPING?at=2026-11-31T00:00', 400],
    ['KEEPING?at=2026-02-29T00:00:00.001', 400],
    ['KEEPING?at=2026-02-28T00:00:00.001', 200],
    ['KEEPING?at=2026-01-06T00:00', 200],
    ['KEEPING?at=', 200],
    [`KEEPING?x=${encodeURIComponent(hostile)}`, 200],
    [`/audit/${encodeURIComponent(hostile)}`, 404],
  ])('%s: %i, and nothing of it is in the page as it was sent', async (path, status) => {
    const response = await audited.as('content', path.replace('KEEPING', `/audit/ledgers/${idOf('keeping')}`));
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('<img src=x');
  });

  test('?lang= changes the language and nothing else', async () => {
    const chinese = await audited.as('content', '/audit?lang=zh-TW');
    const english = await audited.as('content', '/audit?lang=en');
    expect(await chinese.text()).toContain('<html lang="zh-Hant-TW">');
    expect(await english.text()).toContain('<html lang="en">');
    expect(english.headers.getSetCookie().join()).toContain('audit_lang=en');
    const other = await audited.as('content', `/audit?lang=${encodeURIComponent(hostile)}`);
    expect(other.headers.getSetCookie()).toStrictEqual([]);
    expect(await other.text()).not.toContain('<img src=x');
  });
});

test('the time one stands at can be sent back to the millisecond', async () => {
  const own = await startAudited();
  const person = personOn(own.ledger, 'to the millisecond', () => Date.UTC(2026, 0, 20, 1, 2, 3, 456));
  await person.remember('cause', 'vegan');
  const page = await (await own.as('content', `/audit/ledgers/${person.ref.ledgerId}`)).text();
  const [, step, value] = /type="datetime-local" step="([^"]+)" value="([^"]+)"/.exec(page) ?? [];
  expect([step, value]).toStrictEqual(['0.001', '2026-01-20T01:02:03.456']);
  const there = await (await own.as('content', `/audit/ledgers/${person.ref.ledgerId}?at=${value}`)).text();
  expect(there).toContain('<b lang="zh-Hant-TW">全素</b>');
});

describe('pages of ledgers', () => {
  test('lead through all of them', async () => {
    const own = await startAudited();
    const path = '/audit/ledgers?kind=preference';
    const page = await (await own.as('content', path)).text();
    for (const { ref } of Object.values(own.people)) expect(page).toContain(`/audit/ledgers/${ref.ledgerId}`);
    expect(page).not.toContain('rel="next"');
    const [first] = Object.values(own.people)
      .map(({ ref }) => ref.ledgerId)
      .toSorted();
    const rest = await (await own.as('content', `${path}&after=${first}`)).text();
    expect(rest).not.toContain(`/audit/ledgers/${first}`);
    expect(rest.match(/\/audit\/ledgers\/[\w-]{43}/g)?.length).toBe(2);
  });
});

describe('the download', () => {
  test('is one event a line: whole to the role content, without the key of a person to integrity', async () => {
    for (const role of ['content', 'integrity'] as const) {
      const response = await audited.as(role, `/audit/ledgers/${idOf('keeping')}/history.ndjson`);
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="ledger-[\w-]{12}\.ndjson"$/);
      const lines = (await response.text()).trimEnd().split('\n');
      const events = lines.map((line) => JSON.parse(line) as { position: number; hash: string; subject?: string });
      expect(events.map(({ position }) => position)).toStrictEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(events.every(({ subject }) => (subject === undefined) === (role === 'integrity'))).toBe(true);
    }
  });
});

describe('signing in', () => {
  let own: Audited;
  afterEach(() => expect(own.waits.length).toBeLessThan(10));

  test('a token opens a session that a script cannot read and that no other site can use', async () => {
    own = await startAudited();
    const response = await own.routes.request('/audit/login', form({ token: ` ${TOKENS.content} ` }));
    expect([response.status, response.headers.get('location')]).toStrictEqual([303, '/audit']);
    const [cookie = ''] = response.headers.getSetCookie();
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/audit', 'Max-Age=28800']) expect(cookie).toContain(part);
    expect(cookie).not.toContain(TOKENS.content);
    expect(cookie).not.toContain('Secure');
  });

  test('where it is served over https, by token and by link, over https only', async () => {
    own = await startAudited({ secureCookies: true });
    for (const response of [
      await own.routes.request('/audit/login', form({ token: TOKENS.content })),
      await own.routes.request(own.oneTimePath()),
    ]) {
      const [cookie = ''] = response.headers.getSetCookie();
      expect(cookie).toMatch(/^audit_session=.*; Secure(;|$)/);
    }
  });

  test.each([
    [{ token: 'wrong' }, 401],
    [{ token: '' }, 401],
    [{}, 401],
    [{ token: 'x'.repeat(3_000) }, 401],
    [{ token: 'x'.repeat(6_000) }, 413],
  ] as const)('%j is refused', async (fields, status) => {
    own = await startAudited();
    const response = await own.routes.request('/audit/login', form(fields));
    expect(response.status).toBe(status);
    expect(response.headers.getSetCookie()).toStrictEqual([]);
  });

  test('a form of another site is refused, whatever it holds', async () => {
    own = await startAudited();
    const { body, method } = form({ token: TOKENS.content });
    for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://elsewhere.example' }, {}]) {
      const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
      for (const [name, value] of Object.entries(from)) headers.set(name, value);
      const response = await own.routes.request('/audit/login', { method: method ?? '', headers, body: body ?? null });
      expect(response.status).toBe(403);
    }
  });

  test('signing out ends the session on the server too', async () => {
    own = await startAudited();
    const cookie = await own.cookieOf('content');
    const { headers, ...rest } = form({});
    await own.routes.request('/audit/logout', { ...rest, headers: { ...(headers as Record<string, string>), cookie } });
    expect((await own.routes.request('/audit/ledgers', { headers: { cookie } })).status).toBe(401);
  });

  test('the one-time link signs in once; a HEAD does not use it up', async () => {
    own = await startAudited();
    const path = own.oneTimePath();
    expect((await own.routes.request(path, { method: 'HEAD' })).status).toBe(401);
    const first = await own.routes.request(path);
    expect(first.status).toBe(200);
    const [cookie = ''] = first.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    expect((await own.routes.request('/audit/ledgers', { headers: { cookie } })).status).toBe(200);
    expect((await own.routes.request(path)).status).toBe(401);
  });

  test('a link that is older than ten minutes is none any more', async () => {
    own = await startAudited();
    const path = own.oneTimePath();
    own.clock.now += 600_000;
    expect((await own.routes.request(path)).status).toBe(401);
  });

  test('the API takes the token in its header, and wrong ones are slowed until they are refused', async () => {
    own = await startAudited({ waits: 'keep' });
    const ask = (authorization: string) => own.routes.request('/audit/api/ledgers', { headers: { authorization } });
    expect((await ask(`Bearer ${TOKENS.integrity}`)).status).toBe(200);
    expect((await ask(`bearer ${TOKENS.integrity}`)).status).toBe(200);
    const wrong = ask('Bearer wrong');
    await new Promise((resolve) => setImmediate(resolve));
    expect(own.waits.map(({ milliseconds }) => milliseconds)).toStrictEqual([500]);
    own.waits[0]?.run();
    const response = await wrong;
    expect([response.status, response.headers.get('www-authenticate')]).toStrictEqual([401, 'Bearer realm="audit"']);
    expect(own.counted.get('audit_token_wrong')).toBe(1);
  });
});

test('what breaks for no known reason is counted, answered 500, and tells nothing of itself', async () => {
  const ledger = memoryLedger();
  const own = await startAudited({
    ledger: { ...ledger, events: () => Promise.reject(new Error('secret of the disk')) },
  });
  for (const path of [`/audit/ledgers/${idOf('keeping', own)}`, `/audit/api/ledgers/${idOf('keeping', own)}/history`]) {
    const response = await own.as('content', path);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
  }
  expect(own.counted.get('audit_look_failed')).toBe(2);
});

test('a ledger with an event that cannot be read is not shown in part, but points to its verification', async () => {
  const ledger = memoryLedger();
  const own = await startAudited({
    ledger: {
      ...ledger,
      async events(...asked) {
        const stored = await ledger.events(...asked);
        return stored.map((each) => (each.position === 3 ? { ...each, bytes: Buffer.from('{}') } : each));
      },
    },
  });
  const id = idOf('keeping', own);
  const page = await own.as('content', `/audit/ledgers/${id}`);
  expect(page.status).toBe(409);
  expect(await page.text()).toContain(`/audit/ledgers/${id}/verify`);
  expect((await own.as('content', `/audit/api/ledgers/${id}/replay`)).status).toBe(409);
  const verified = await (await own.as('integrity', `/audit/ledgers/${id}/verify`)).text();
  expect(verified).toContain('有不符合的地方');
  expect(verified).toContain('<code>hash_differs</code>');
});
