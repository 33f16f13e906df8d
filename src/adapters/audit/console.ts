/**
 * Serves the console: signing in, pages, files; every page is shown to a signed-in reader only, after its look was recorded.
 * @module
 */
import { readFileSync } from 'node:fs';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import type { Reader } from '../../commands/access.ts';
import { sessionReader, signIn, signOut } from './admission.ts';
import { failureOf } from './api.ts';
import { otherLanguage, type PageFor, signInPage, wordPage } from './console-page.ts';
import { consolePages, type Shown } from './console-pages.ts';
import { type Language, languageOf, type Words, wordsOf } from './console-words.ts';
import type { AuditParts } from './looking.ts';
import type { Gate } from './roles.ts';

const LANGUAGE_COOKIE = 'audit_lang';
const LANGUAGE_SECONDS = 365 * 86_400;
/** A sign-in form is far shorter, bytes. */
const FORM_BYTES_MAX = 4_096;
/** Files of the console by name; read once, at start. */
const ASSETS: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map(
  [
    { name: 'console.css', type: 'text/css; charset=utf-8' },
    { name: 'drawings.css', type: 'text/css; charset=utf-8' },
    { name: 'console.js', type: 'text/javascript; charset=utf-8' },
    { name: 'icon.svg', type: 'image/svg+xml' },
  ].map(({ name, type }) => [name, { type, text: readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8') }]),
);

export type ConsoleOptions = {
  readonly gate: Gate;
  /** Whether session cookies may travel over https only. */
  readonly secureCookies: boolean;
  /** Told that a page failed for a reason of no closed list; never what was asked for. */
  readonly alarm: () => void;
};

/** Routes under /audit, but for those of the API. */
export function auditConsole(parts: AuditParts, options: ConsoleOptions): Hono {
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
      xFrameOptions: 'DENY',
      referrerPolicy: 'same-origin',
      strictTransportSecurity: false,
    }),
  );
  app.get('/assets/:name', (c) => {
    const asset = ASSETS.get(c.req.param('name'));
    if (asset === undefined) return c.text('', 404);
    return c.body(asset.text, 200, { 'content-type': asset.type, 'cache-control': 'no-cache' });
  });
  app.use(async function uncached(c, next) {
    await next();
    c.header('cache-control', 'no-store');
  });
  app.use(csrf());
  signingIn(app, options);
  for (const { path, look } of consolePages(parts)) {
    app.get(path, async (c) => {
      const language = chooseLanguage(c);
      const reader = sessionReader(c, options.gate);
      // Whoever opens the console is asked to sign in; whoever opens one of its pages is also told that it is not for them.
      if (reader === null) return signInAnswer(c, options.gate, language, null, path === '/' ? 200 : 401);
      return answer(c, language, await look(c, pageFor(c, language, reader)));
    });
  }
  app.all('*', (c) => {
    const language = chooseLanguage(c);
    if (sessionReader(c, options.gate) === null) return signInAnswer(c, options.gate, language, null);
    return answer(c, language, { kind: 'said', what: 'notFound' });
  });
  app.onError((error, c) => {
    if (error instanceof HTTPException) return c.body(null, error.status);
    const failure = failureOf(error);
    if (failure === 'failed') options.alarm();
    const said = { access_not_recorded: 'notRecorded', store_unavailable: 'unavailable', failed: 'failed' } as const;
    return answer(c, chooseLanguage(c), { kind: 'said', what: said[failure] });
  });
  return app;
}

function signingIn(app: Hono, { gate, secureCookies }: ConsoleOptions): void {
  app.post('/login', bodyLimit({ maxSize: FORM_BYTES_MAX }), async (c) => {
    const language = chooseLanguage(c);
    const words = wordsOf(language);
    const { token } = await c.req.parseBody();
    const reader = await gate.byToken(typeof token === 'string' ? token.trim() : '');
    if (reader === 'too_many') return signInAnswer(c, gate, language, words.tooMany, 429);
    if (reader === 'wrong') return signInAnswer(c, gate, language, words.wrongToken);
    signIn(c, gate, reader, secureCookies);
    return c.redirect('/audit', 303);
  });
  app.post('/logout', (c) => {
    const language = chooseLanguage(c);
    signOut(c, gate);
    return c.html(signInPage(language, gate.isConfigured, wordsOf(language).signedOut));
  });
  app.get('/once/:secret', (c) => {
    const language = chooseLanguage(c);
    const words = wordsOf(language);
    // A preview asks with HEAD: that must not use the link up.
    const reader = c.req.method === 'GET' ? gate.redeem(c.req.param('secret')) : null;
    if (reader === null) return signInAnswer(c, gate, language, words.onceGone);
    signIn(c, gate, reader, secureCookies);
    // A page and not a redirect: a cookie of this site only would not travel with one that began elsewhere.
    c.header('refresh', '0; url=/audit');
    return c.html(
      wordPage(language, { title: words.onceTitle, text: words.roleContent, href: '/audit', go: words.onceGo }),
    );
  });
}

function signInAnswer(c: Context, gate: Gate, language: Language, said: string | null, status: 200 | 401 | 429 = 401) {
  return c.html(signInPage(language, gate.isConfigured, said), status);
}

/** The language of a request; one asked for by ?lang= is remembered. */
function chooseLanguage(c: Context): Language {
  const asked = c.req.query('lang');
  const language = languageOf(asked ?? getCookie(c, LANGUAGE_COOKIE), c.req.header('accept-language'));
  if (asked === language) {
    setCookie(c, LANGUAGE_COOKIE, language, {
      path: '/audit',
      sameSite: 'Lax',
      httpOnly: true,
      maxAge: LANGUAGE_SECONDS,
    });
  }
  return language;
}

function pageFor(c: Context, language: Language, reader: Reader): PageFor {
  const query = new URL(c.req.url).searchParams;
  query.set('lang', otherLanguage(language));
  return { language, words: wordsOf(language), reader, otherHref: `${c.req.path}?${query.toString()}` };
}

/** Pages that only say one thing: their status and words. */
const SAID = {
  gone: { status: 410, title: 'goneTitle', text: 'gone' },
  notFound: { status: 404, title: 'notFoundTitle', text: 'notFound' },
  invalid: { status: 400, title: 'invalidTitle', text: 'invalid' },
  beyond: { status: 404, title: 'beyondTitle', text: 'beyond' },
  tooLong: { status: 409, title: 'tooLongTitle', text: 'tooLong' },
  unreadable: { status: 409, title: 'unreadableTitle', text: 'unreadable' },
  notRecorded: { status: 503, title: 'notRecordedTitle', text: 'notRecorded' },
  unavailable: { status: 503, title: 'unavailableTitle', text: 'unavailable' },
  failed: { status: 500, title: 'failedTitle', text: 'failed' },
} as const satisfies Record<
  string,
  { readonly status: number; readonly title: keyof Words; readonly text: keyof Words }
>;
export type SaidPage = keyof typeof SAID;

function answer(c: Context, language: Language, shown: Shown): Response | Promise<Response> {
  if (shown.kind === 'page') return c.html(shown.html);
  if (shown.kind === 'file') {
    return c.body(shown.body, 200, {
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="${shown.name}"`,
    });
  }
  const words = wordsOf(language);
  const { status, title, text } = SAID[shown.what];
  const href = shown.href ?? '/audit/ledgers';
  const go = shown.href === undefined ? words.ledgers : words.verifyThis;
  return c.html(wordPage(language, { title: words[title], text: words[text], href, go }), status);
}
