/**
 * The frame of every console page, and the pages that only say one thing.
 * @module
 */
import { html } from 'hono/html';
import type { Reader } from '../../commands/access.ts';
import type { Html } from './console-charts.ts';
import { type Language, type Words, wordsOf } from './console-words.ts';

/** Who a page is made for. */
export type PageFor = {
  readonly language: Language;
  readonly words: Words;
  readonly reader: Reader;
  /** This page in the other language. */
  readonly otherHref: string;
};

/** A page with the navigation of somebody signed in. */
export function framed(
  { language, words, reader, otherHref }: PageFor,
  { title, current, main }: { title: string; current: 'overview' | 'ledgers' | 'verify' | null; main: Html },
): Html {
  const link = (href: string, name: string, isCurrent: boolean): Html =>
    html`<li><a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${name}</a></li>`;
  return shell(
    { language, otherHref },
    title,
    html`<nav aria-label="${words.nav}"><ul>
${link('/audit', words.overview, current === 'overview')}
${link('/audit/ledgers', words.ledgers, current === 'ledgers')}
${link('/audit/verify', words.verifyAll, current === 'verify')}
${link('/audit/api/openapi.json', words.api, false)}
</ul></nav>`,
    main,
    html`<p class="who"><span>${words.as} <b>${reader.name}</b></span> <span>${reader.role === 'content' ? words.roleContent : words.roleIntegrity}</span></p>
<p>${words.recorded}</p>
<form method="post" action="/audit/logout"><button type="submit" class="plain">${words.signOut}</button></form>`,
  );
}

/** The language a page can be changed to. */
export function otherLanguage(language: Language): Language {
  return language === 'zh-TW' ? 'en' : 'zh-TW';
}

/** For pages of nobody in particular. */
function fromStart(language: Language): Pick<PageFor, 'language' | 'otherHref'> {
  return { language, otherHref: `/audit?lang=${otherLanguage(language)}` };
}

/** The whole document. */
function shell(
  { language, otherHref }: Pick<PageFor, 'language' | 'otherHref'>,
  title: string,
  nav: Html | '',
  main: Html,
  foot: Html | '',
): Html {
  const words = wordsOf(language);
  const other = otherLanguage(language);
  return html`<!doctype html>
<html lang="${words.htmlLang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · LOCAL ${words.title}</title>
<link rel="icon" href="/audit/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/audit/assets/console.css">
<link rel="stylesheet" href="/audit/assets/drawings.css">
<script type="module" src="/audit/assets/console.js"></script>
</head>
<body>
<a class="skip" href="#main">${words.skip}</a>
<header class="top">
<a class="brand" href="/audit"><img src="/audit/assets/icon.svg" alt="" width="26" height="26"><span>LOCAL</span> <span class="quiet">${words.title}</span></a>
${nav}
<a class="language" href="${otherHref}" hreflang="${other}" lang="${wordsOf(other).htmlLang}">${words.otherLanguage}</a>
</header>
<main id="main" tabindex="-1">
${main}
</main>
${foot === '' ? '' : html`<footer class="foot">${foot}</footer>`}
</body>
</html>`;
}

/** The page to sign in. @param said why the last try did not work, or that one is signed out. */
export function signInPage(language: Language, hasTokens: boolean, said: string | null): Html {
  const words = wordsOf(language);
  return shell(
    fromStart(language),
    words.signInTitle,
    '',
    html`<section class="card narrow" aria-labelledby="sign-in">
<h1 id="sign-in">${words.signInTitle}</h1>
${said === null ? '' : html`<p class="notice" role="alert">${said}</p>`}
${hasTokens ? '' : html`<p class="notice">${words.noTokens}</p>`}
<p class="quiet">${words.signInWhy}</p>
<form method="post" action="/audit/login" class="stack">
<label for="token">${words.token}</label>
<input id="token" name="token" type="password" required maxlength="256" autocomplete="current-password" spellcheck="false">
<button type="submit" class="primary">${words.signIn}</button>
</form>
</section>`,
    '',
  );
}

/** A page that says one thing and where to go on. */
export function wordPage(
  language: Language,
  { title, text, href, go }: { title: string; text: string; href: string; go: string },
): Html {
  return shell(
    fromStart(language),
    title,
    '',
    html`<section class="card narrow" aria-labelledby="said">
<h1 id="said">${title}</h1>
<p>${text}</p>
<p><a class="button primary" href="${href}">${go}</a></p>
</section>`,
    '',
  );
}

/** A moment as people read it, UTC. */
export function timeOf(time: string): Html {
  return html`<time datetime="${time}">${time.slice(0, 10)} ${time.slice(11, 19)}</time>`;
}

/** A digest, short to the eye and whole to whoever asks. */
export function digest(text: string, length = 10): Html {
  return html`<code class="digest" title="${text}">${text.slice(0, length)}…</code>`;
}
