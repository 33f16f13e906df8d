import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Most lines a file has. */
const LINES_MAX = 400;
/** Lowest first: a file imports from its own layer or a lower one; files right under src join the parts. */
const LAYERS = ['events', 'projections', 'commands', 'adapters', 'src', 'src/main.ts'];
/** Layers that know no clock, no chance, no environment and no machine. */
const CORE = new Set(['events', 'projections', 'commands']);
/** The packages each core layer may import; everything else is taken as a parameter. */
const CORE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  events: ['valibot', 'canonicalize', 'node:crypto'],
  projections: ['valibot'],
  commands: ['valibot', 'uuid', 'node:crypto'],
};
/** Each SDK has one folder; `types` may name its types without running it. */
const SDKS: readonly {
  readonly name: RegExp;
  readonly folder: string;
  readonly types: readonly string[];
  readonly instead: string;
}[] = [
  { name: /^@line\/bot-sdk/, folder: 'line', types: ['simulator'], instead: 'take a port as a parameter' },
  { name: /^node:sqlite$/, folder: 'sqlite', types: [], instead: 'take a Ledger, Inbox or Outbox as a parameter' },
  {
    name: /^@google-cloud\/firestore/,
    folder: 'firestore',
    types: [],
    instead: 'take a Ledger, Inbox or Outbox as a parameter',
  },
  { name: /^@google\/genai/, folder: 'gemini', types: [], instead: 'take a Router as a parameter' },
];
const NOT_IN_CORE: readonly { readonly found: RegExp; readonly name: string; readonly instead: string }[] = [
  { found: /\bDate\.now\b/, name: 'Date.now', instead: 'take `now` or `clock`, Unix milliseconds, as a parameter' },
  {
    found: /\bnew Date\(\s*\)/,
    name: 'new Date()',
    instead: 'take `now` or `clock`, Unix milliseconds, as a parameter',
  },
  { found: /\bperformance\.now\b/, name: 'performance.now', instead: 'measure in an adapter' },
  { found: /\bMath\.random\b/, name: 'Math.random', instead: 'take the value as a parameter' },
  {
    found: /\brandomUUID\b|\bv[147]\s*\(/,
    name: 'randomUUID',
    instead: 'take the id as a parameter, made once per command',
  },
  { found: /\brandomBytes\b/, name: 'randomBytes', instead: 'take the key as a parameter, made once per command' },
];

const ENVIRONMENT =
  'process.env outside src/main.ts: take the setting as a parameter; src/main.ts reads the environment once';

type Import = { readonly specifier: string; readonly typeOnly: boolean };

/** Source with comments blanked, and, on request, texts too. */
function withoutComments(source: string, texts: 'keep' | 'blank'): string {
  const pieces = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return source.replace(pieces, (piece) => {
    if (piece.startsWith('/')) return piece.replace(/[^\n]/g, ' ');
    return texts === 'keep' ? piece : "''";
  });
}

function importsOf(source: string): Import[] {
  const statements = /\b(import|export)\b(\s+type\b)?([^;'"()]*?\bfrom)?\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...withoutComments(source, 'keep').matchAll(statements)].map(([, , type, , specifier]) => ({
    specifier: specifier ?? '',
    typeOnly: type !== undefined,
  }));
}

/** `src/adapters/line/view.ts` → layer `adapters`, folder `line`; `src/app.ts` → layer `src`. */
function placeOf(path: string): { layer: string; folder: string | null } {
  if (path === 'src/main.ts') return { layer: path, folder: null };
  const [top = '', layer = '', folder] = path.split('/');
  if (folder === undefined) return { layer: top, folder: null };
  return { layer, folder: layer === 'adapters' ? folder : null };
}

function checkImport(path: string, { specifier, typeOnly }: Import): string[] {
  const from = placeOf(path);
  if (!specifier.startsWith('.')) {
    if (/^(node:)?process$/.test(specifier) && path !== 'src/main.ts') return [ENVIRONMENT];
    const sdk = SDKS.find(({ name }) => name.test(specifier));
    const owns =
      sdk !== undefined &&
      from.folder !== null &&
      (from.folder === sdk.folder || (typeOnly && sdk.types.includes(from.folder)));
    if (sdk !== undefined && !owns) return [`${specifier} belongs to src/adapters/${sdk.folder}: ${sdk.instead}`];
    const allowed = CORE_PACKAGES[from.layer];
    if (allowed !== undefined && !allowed.includes(specifier))
      return [
        `src/${from.layer} imports only ${allowed.join(', ')}, not ${specifier}: take the value or a port as a parameter`,
      ];
    return [];
  }
  const target = posix.join(posix.dirname(path), specifier);
  if (target.startsWith('data/') && target.endsWith('.json')) return [];
  if (!target.startsWith('src/')) return [`${specifier} is outside src: only data/*.json is read from there`];
  const to = placeOf(target);
  const [rank, targetRank] = [LAYERS.indexOf(from.layer), LAYERS.indexOf(to.layer)];
  if (targetRank > rank)
    return [
      `${from.layer} imports ${to.layer}: arrows point adapters → commands → projections → events; name a port below and take it as a parameter`,
    ];
  if (from.folder !== null && to.folder !== null && from.folder !== to.folder)
    return [
      `adapter ${from.folder} imports adapter ${to.folder}: take it as a parameter typed by a port; src/app.ts and src/main.ts join adapters`,
    ];
  return [];
}

function checkText(path: string, source: string): string[] {
  const { layer } = placeOf(path);
  const code = withoutComments(source, 'blank');
  const found: string[] = [];
  if (CORE.has(layer)) {
    for (const each of NOT_IN_CORE)
      if (each.found.test(code)) found.push(`${each.name} in src/${layer}: ${each.instead}`);
    if (path !== 'src/commands/execute.ts' && /\bawait\b/.test(code))
      found.push(
        `await in src/${layer}: only src/commands/execute.ts waits; await in an adapter and hand the result over`,
      );
  }
  if (path !== 'src/main.ts' && /\bprocess\.env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/.test(code))
    found.push(ENVIRONMENT);
  return found;
}

function checkShape(path: string, source: string): string[] {
  const found: string[] = [];
  const lines = source.split('\n').length - 1;
  if (lines > LINES_MAX) found.push(`${lines} lines: split it by the question a reader has, at most ${LINES_MAX} each`);
  if (/(^|\/)(utils?|helpers?|common|misc|shared)(\/|[.-])/.test(path))
    found.push(`the name ${basename(path)} answers no question: name the file after what is in it`);
  if (path.endsWith('.ts') && !/^(#![^\n]*\n)?\/\*\*(?:(?!\*\/)[\s\S])*@module\s*\*\//.test(source))
    found.push('no header: begin with /** one sentence of what the file is for, then @module */');
  return found;
}

/** What is wrong in `<root>/src`, one line each: the file, the fault, and what to do instead. */
function architectureFaults(root: string): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted()
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      const inBrowser = path.endsWith('.js');
      const found = inBrowser
        ? checkShape(path, source)
        : [
            ...importsOf(source).flatMap((each) => checkImport(path, each)),
            ...checkText(path, source),
            ...checkShape(path, source),
          ];
      return found.map((fault) => `${path}: ${fault}`);
    });
}

const house = dirname(import.meta.dirname);

test('the house keeps its own rules', () => {
  expect(architectureFaults(house)).toStrictEqual([]);
});

describe('a planted fault is found, and the message names the replacement', () => {
  const header = '/**\n * Planted.\n * @module\n */\n';
  const rows: readonly (readonly [path: string, code: string, fault: string])[] = [
    [
      'src/events/x.ts',
      "import { decide } from '../commands/decide.ts';",
      'arrows point adapters → commands → projections → events',
    ],
    [
      'src/events/x.ts',
      "import type { PreferenceState } from '../projections/preference-state.ts';",
      'take it as a parameter',
    ],
    ['src/projections/x.ts', "export type { Card } from '../commands/card.ts';", 'arrows point'],
    ['src/commands/x.ts', "const line = import('../adapters/line/view.ts');", 'arrows point'],
    ['src/adapters/line/x.ts', "import { build } from '../../app.ts';", 'arrows point'],
    ['src/app.ts', "import './main.ts';", 'arrows point'],
    ['src/events/x.ts', "import { v5 } from 'uuid';", 'imports only valibot, canonicalize, node:crypto, not uuid'],
    ['src/commands/x.ts', "import 'hono';", 'not hono: take the value or a port as a parameter'],
    ['src/projections/x.ts', "import { readFileSync } from 'node:fs';", 'not node:fs'],
    [
      'src/events/x.ts',
      "import lock from '../../package-lock.json' with { type: 'json' };",
      'only data/*.json is read from there',
    ],
    [
      'src/adapters/http/x.ts',
      "import { open } from '../sqlite/ledger.ts';",
      'src/app.ts and src/main.ts join adapters',
    ],
    [
      'src/adapters/http/deep/x.ts',
      "import { open } from '../../sqlite/ledger.ts';",
      'adapter http imports adapter sqlite',
    ],
    [
      'src/adapters/http/x.ts',
      "import { messagingApi } from '@line/bot-sdk';",
      '@line/bot-sdk belongs to src/adapters/line',
    ],
    [
      'src/adapters/simulator/x.ts',
      "import { messagingApi } from '@line/bot-sdk';",
      '@line/bot-sdk belongs to src/adapters/line',
    ],
    [
      'src/adapters/audit/x.ts',
      "import { DatabaseSync } from 'node:sqlite';",
      'take a Ledger, Inbox or Outbox as a parameter',
    ],
    ['src/app.ts', "import { Firestore } from '@google-cloud/firestore';", 'belongs to src/adapters/firestore'],
    ['src/events/x.ts', 'export const at = Date.now();', 'take `now` or `clock`'],
    ['src/projections/x.ts', 'export const at = new Date( );', 'take `now` or `clock`'],
    ['src/commands/x.ts', 'export const chance = Math.random();', 'take the value as a parameter'],
    ['src/commands/x.ts', "import { randomUUID } from 'node:crypto';", 'take the id as a parameter'],
    ['src/commands/x.ts', "import { v7 } from 'uuid';\nexport const id = v7();", 'take the id as a parameter'],
    ['src/events/x.ts', "import { randomBytes } from 'node:crypto';", 'take the key as a parameter'],
    ['src/commands/x.ts', 'export const f = async () => { await null; };', 'only src/commands/execute.ts waits'],
    ['src/adapters/http/x.ts', 'export const port = process.env.PORT;', 'src/main.ts reads the environment once'],
    ['src/adapters/http/x.ts', "import { env } from 'node:process';", 'src/main.ts reads the environment once'],
    ['src/app.ts', 'export const { env } = process;', 'src/main.ts reads the environment once'],
    ['src/adapters/line/utils.ts', '', 'name the file after what is in it'],
    ['src/adapters/common/x.ts', '', 'name the file after what is in it'],
    ['src/adapters/http/x.ts', '\n'.repeat(LINES_MAX), 'split it by the question a reader has'],
  ];

  let copy = '';
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'architecture-'));
    cpSync(join(house, 'src'), join(copy, 'src'), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  /** The faults a planted file adds to those of the copy; the copy is as it was afterwards. */
  function faultsWith(path: string, source: string): string[] {
    const place = join(copy, path);
    const before = readIfThere(place);
    const clean = new Set(architectureFaults(copy));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, source);
    try {
      return architectureFaults(copy).filter((fault) => !clean.has(fault));
    } finally {
      if (before === null) rmSync(place);
      else writeFileSync(place, before);
    }
  }

  test.each(rows)('%s: %s', (path, code, fault) => {
    const faults = faultsWith(path, `${header}${code}\n`);
    expect(faults.join('\n')).toContain(fault);
    for (const each of faults) expect(each.startsWith(`${path}: `)).toBe(true);
  });

  test('a file without a header', () => {
    for (const source of ['export const x = 1;\n', '/** No tag. */\nexport const x = 1; // @module\n/** */\n'])
      expect(faultsWith('src/events/x.ts', source).join()).toContain('begin with /** one sentence');
  });

  test('but not what is only spoken of, or allowed', () => {
    const allowed = [
      ['src/events/x.ts', '// Date.now and await are for others.\nexport const text = "await process.env";'],
      ['src/events/x.ts', 'export const at = (now: number) => new Date(now);'],
      [
        'src/events/x.ts',
        "import purposes from '../../data/purposes/diet_for_place_search.json' with { type: 'json' };",
      ],
      ['src/adapters/simulator/x.ts', "import type { messagingApi } from '@line/bot-sdk';"],
      [
        'src/adapters/line/x.ts',
        "import { messagingApi } from '@line/bot-sdk';\nimport type { Turns } from '../../commands/turns.ts';",
      ],
      ['src/main.ts', "import { serve } from './app.ts';\nexport const port = process.env.PORT;"],
    ] as const;
    for (const [path, code] of allowed) expect(faultsWith(path, `${header}${code}\n`)).toStrictEqual([]);
  });
});

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
