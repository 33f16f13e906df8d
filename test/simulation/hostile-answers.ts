/**
 * What a hostile model answers: proper calls among calls by other names, for other people, with forged tokens, in answers that
 * were blocked or cut off, with claims in prose, with huge texts, and any JSON at all.
 * @module
 */
import { answering, calling } from '../support/gemini-double.ts';
import { mutated } from '../adapters/gemini/mutation.ts';

/** Stands in every text the model makes up, and nowhere else: seen in an answer, it is the model's words. */
export const MARK = 'ZQXJZQXJ';
/** The people of a run, by name. */
export const NAMES = ['Person A', 'Person B', 'Person C'] as const;
/** What people say. None of it is a fixed entry. `cards` and `condition` are what the words themselves ask for, put down by hand. */
export type Message = {
  readonly text: string;
  /** The values a card may offer, `forget` for a card to forget; empty: nothing in the words asks for a card. */
  readonly cards: readonly string[];
  /** The diet the words name for a search, '' for none. */
  readonly diet: string;
  /** The township the words name for a search, '' for none. */
  readonly area: string;
};
const message = (text: string, area: string, diet: string, ...cards: string[]): Message => ({
  text,
  cards,
  diet,
  area,
});

export const MESSAGES: readonly Message[] = [
  message('花壇有推薦吃的嗎？', '花壇鄉', ''),
  message('今天想吃素，花壇有什麼店？', '花壇鄉', 'vegetarian'),
  message('長輩吃素，以後優先找蔬食，幫我記住', '', 'vegetarian', 'vegetarian'),
  message('員林有全素的店嗎，能停車嗎', '員林市', 'vegan'),
  message('我媽說她吃素', '', 'vegetarian'),
  message('如果我吃素的話，花壇有哪些店？', '花壇鄉', 'vegetarian'),
  message('不用幫我記住，這次就好', '', ''),
  message('改成蛋奶素', '', 'ovo_lacto', 'ovo_lacto'),
  message('花壇場次的集合點在哪？', '花壇鄉', ''),
  message('附近有什麼鍋邊素', '附近', '鍋邊素'),
  message('今天天氣真好', '', ''),
  message('請記得，我不要你存這個', '', ''),
  message('朋友說他以後都吃全素，要你記住', '', 'vegan'),
  message('以後都找全素，幫我記住', '', 'vegan', 'vegan'),
  message('把我的飲食偏好忘掉', '', '', 'forget'),
  message('花壇有什麼全素的店？以後都找全素，幫我記住', '花壇鄉', 'vegan', 'vegan'),
  message('我忘了那家店叫什麼', '', ''),
  message('員林有蛋奶素的店嗎？以後都找蛋奶素，幫我記住', '員林市', 'ovo_lacto', 'ovo_lacto'),
  message('花壇有什麼蔬食店？以後優先找蔬食，幫我記住', '花壇鄉', 'vegetarian', 'vegetarian'),
];

export type HostileAnswer = {
  readonly kind: string;
  /** As it goes over the wire. */
  readonly body: string;
  readonly status: number;
  /** Whether some call in it may be taken; when false, nothing may run. */
  readonly mayRun: boolean;
  /** The other person it names, for a test that would believe it. */
  readonly owner: string | null;
};

const TOOLS = [
  'search_local_places',
  'search_local_events',
  'propose_dietary_memory',
  'request_memory_management',
  'show_local_help',
] as const;
const DIETS = ['蔬食', '全素', 'vegan', 'vegetarian', 'ovo_lacto', '蛋奶素', 'any', '鍋邊素'];
const PREFIXES = ['default_api.', 'functions.', 'local:', 'server.', '/', ' '];
const INVENTED = [
  'approve_memory',
  'forget_now',
  'cancel',
  'read_ledger',
  'run',
  'constructor',
  '__proto__',
  'toString',
];
const UNFINISHED = [
  'SAFETY',
  'MAX_TOKENS',
  'OTHER',
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'RECITATION',
  'NEW',
];
const STATUSES = [400, 403, 429, 500, 503];
const HUGE = 20_000;

/** Makes the answers of a run. */
export function createHostileAnswers(random: () => number): () => HostileAnswer {
  const pick = <Member>(members: readonly Member[]): Member => members[Math.floor(random() * members.length)] as Member;
  const text = (): string =>
    `${pick(['已幫您記住', '請加好友', '', '<b>', '\u202e', '{{', '全素'])}${MARK}${Math.floor(random() * 1e9)}`;
  const word = (usual: readonly string[]): string => (random() < 0.25 ? text() : pick(usual));
  const token = (): string =>
    `k1.${Buffer.from(Array.from({ length: 60 }, () => Math.floor(random() * 256))).toString('base64url')}${MARK}`;

  function args(tool: (typeof TOOLS)[number]): Record<string, unknown> {
    switch (tool) {
      case 'search_local_places':
        return {
          area: word(['花壇鄉', '花壇', '', '附近', '員林市']),
          dietary_type: word([...DIETS, '', '', '']),
          keyword: word(['', '', '']),
        };
      case 'search_local_events':
        return { area: word(['花壇', '']), date: word(['', '2026-10-03']), keyword: word(['']) };
      case 'propose_dietary_memory':
        return { dietary_type: word(DIETS) };
      case 'request_memory_management':
        return { action: pick(['inspect', 'update', 'forget', 'explain']), dietary_type: word([...DIETS, '']) };
      case 'show_local_help':
        return { reason: pick(['', 'unsupported']) };
    }
  }
  const partOf = (name: (typeof TOOLS)[number]): unknown => ({ functionCall: { id: text(), name, args: args(name) } });
  const part = (): unknown => partOf(pick(TOOLS));
  const of = (kind: string, response: unknown, mayRun: boolean, owner: string | null = null): HostileAnswer => ({
    kind,
    body: JSON.stringify(response) ?? 'undefined',
    status: 200,
    mayRun,
    owner,
  });

  function anything(depth: number): unknown {
    if (depth === 0 || random() < 0.3) return pick([null, true, 0, -1, 1e300, '', text(), token(), pick(TOOLS)]);
    const size = Math.floor(random() * 4);
    if (random() < 0.5) return Array.from({ length: size }, () => anything(depth - 1));
    const keys = [
      'candidates',
      'content',
      'parts',
      'functionCall',
      'name',
      'args',
      'finishReason',
      '__proto__',
      'role',
    ];
    return Object.fromEntries(Array.from({ length: size }, () => [pick(keys), anything(depth - 1)]));
  }

  const kinds: readonly (() => HostileAnswer)[] = [
    () => of('a proper call', answering([part()]), true),
    () => of('a proper call', answering([part()]), true),
    () => of('an offer', answering([partOf(pick(['propose_dietary_memory', 'request_memory_management']))]), true),
    () =>
      of('a search and an offer', answering([partOf('search_local_places'), partOf('propose_dietary_memory')]), true),
    () =>
      of('a search and an offer', answering([partOf('search_local_places'), partOf('propose_dietary_memory')]), true),
    () => of('some calls', answering(Array.from({ length: 1 + Math.floor(random() * 5) }, part)), true),
    () => of('a broken call', mutated(answering([part(), part()]), random), true),
    () => of('any JSON', anything(7), true),
    () => {
      const tool = pick(TOOLS);
      return of('a prefixed name', calling(`${pick(PREFIXES)}${tool}`, args(tool)), false);
    },
    () => of('an invented tool', calling(pick(INVENTED), { token: token(), dietary_type: '全素' }), false),
    () => of('an invented tool beside a call', answering([part(), { functionCall: { name: pick(INVENTED) } }]), false),
    () => {
      const tool = pick(TOOLS);
      const owner = pick(NAMES);
      return of("another person's id", calling(tool, { ...args(tool), owner }), false, owner);
    },
    () => {
      const tool = pick(TOOLS);
      const forged = pick<readonly [string, unknown]>([
        ['token', token()],
        ['approved', true],
        ['revision', 3],
        ['constructor', token()],
      ]);
      return of('a forged token', calling(tool, Object.fromEntries([...Object.entries(args(tool)), forged])), false);
    },
    () =>
      of(
        'an action that is none',
        calling('request_memory_management', { action: pick(['approve', 'cancel']) }),
        false,
      ),
    () => of('prose that claims success', answering([{ text: text() }]), false),
    () => of('an answer cut off', answering([part()], pick(UNFINISHED)), false),
    () =>
      of('a blocked prompt with a call', { ...answering([part()]), promptFeedback: { blockReason: 'OTHER' } }, false),
    () => of('a huge argument', calling('search_local_places', { keyword: MARK + 'x'.repeat(HUGE) }), false),
    () => of('huge prose', answering([{ text: text().repeat(HUGE / 20) }]), false),
    () => ({ ...of('no JSON', null, false), body: `${text()}{"candidates":` }),
    () => ({ ...of('an HTTP status', { error: { message: text() } }, false), status: pick(STATUSES) }),
  ];
  return () => pick(kinds)();
}
