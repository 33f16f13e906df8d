/**
 * The words and marks of a person's own page; everything foreign is escaped, nothing is loaded from elsewhere.
 * @module
 */
import { hash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { DIET_FOR_PLACE_SEARCH, labelOf } from '../../events/purposes.ts';
import { type OwnEntry, ownWords, standingWords, taipeiTime } from '../../projections/own-history.ts';
import { type Controller, outsidePromise } from '../../projections/record.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1a1a1a; --soft: #555; --line: #ccc; --ground: #fff; --link: #0b5394; }
@media (prefers-color-scheme: dark) { :root { --text: #f0f0f0; --soft: #bbb; --line: #555; --ground: #161616; --link: #8ec5ff; } }
body { margin: 0; color: var(--text); background: var(--ground); font: 1.05rem/1.7 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
a { color: var(--link); } a:focus-visible { outline: 3px solid; outline-offset: 2px; }
.now { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; }
ol { list-style: none; padding: 0; } li { border-top: 1px solid var(--line); padding: .6rem 0; }
time, .soft { color: var(--soft); } .standing { font-weight: 600; }
ul li { border: 0; padding: .2rem 0; }
@media print { a[href]::after { content: ""; } .screen { display: none; } }
`;

/** The style's hash for the content security policy: this one style and no other. */
export const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

/** What the page shows. */
export type OwnPageView = {
  /** The token of this very link, for the downloads beside it. */
  readonly token: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  readonly inForce: { readonly value: string; readonly revision: number } | null;
  /** Whether the preference moved after the link was made: then no content is shown and nothing can be downloaded. */
  readonly moved: boolean;
  /** Newest first. */
  readonly history: readonly OwnEntry[];
  readonly earlier: number;
  /** Positions of the decisions a receipt exists for, and whether it opens its commitment. */
  readonly receipts: ReadonlyMap<number, boolean>;
  readonly controller: Controller;
};

function document(title: string, body: ReturnType<typeof html>) {
  return html`<!doctype html>
    <html lang="zh-Hant-TW">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex" />
        <title>${title} · LOCAL</title>
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;
}

/** A page that shows nothing of anybody: what happened, and how to go on. */
export function noticePage(title: string, words: string) {
  return document(title, html`<p>${words}</p>`);
}

/** The person's own page. */
export function ownPageHtml(view: OwnPageView) {
  const { expiresAt, history, earlier, controller } = view;
  const name = controller.name ?? '沒有設定，所以不知道';
  const contact = controller.contact ?? '沒有設定，所以不知道';
  return document(
    '我的紀錄',
    html`
      <p class="soft">
        這個頁面只能看和下載，不能在這裡同意、更正或忘記；要改請回到 LINE，用「更正偏好」「忘記偏好」按鈕。連結到
        <time datetime="${new Date(expiresAt).toISOString()}">${taipeiTime(expiresAt)}</time>（臺灣時間）失效。
      </p>
      ${nowSection(view)} ${downloadSection(view)}
      <h2>經過</h2>
      <p class="soft">臺灣時間，新的在前。${earlier === 0 ? '' : `更早還有 ${earlier} 筆，沒有列在這裡。`}</p>
      <ol>
        ${history.map((entry) => entryItem(entry, view))}
      </ol>
      <h2>承諾管不到的地方</h2>
      <ul>
        ${outsidePromise(DIET_FOR_PLACE_SEARCH.purpose).map((each) => html`<li>${each}</li>`)}
      </ul>
      <h2>誰負責</h2>
      <p>名稱：${name}。聯絡方式：${contact}。</p>
    `,
  );
}

function nowSection({ inForce, moved }: OwnPageView) {
  if (moved) {
    return html`<section class="now" aria-label="現在">
      <p>這個連結發出之後，你的偏好有變動，所以這裡不顯示內容，也不能下載。請回到 LINE 重新輸入「我的紀錄」。</p>
    </section>`;
  }
  if (inForce === null) {
    return html`<section class="now" aria-label="現在"><p>目前沒有記住任何飲食條件。</p></section>`;
  }
  const label = labelOf(DIET_FOR_PLACE_SEARCH, inForce.value) ?? '這個版本無法顯示的條件';
  return html`<section class="now" aria-label="現在">
    <p>目前記住的條件：<strong>${label}</strong>（第 ${inForce.revision} 版）。只用在找店家；直到你更正或忘記為止。</p>
  </section>`;
}

function downloadSection({ token, moved, receipts }: OwnPageView) {
  if (moved) return '';
  const newest = [...receipts.keys()].at(-1);
  return html`<div class="screen">
    <h2>下載</h2>
    <ul>
      <li><a href="/v1/me/${token}/record.json" download>同意紀錄（JSON）</a></li>
      ${
        newest === undefined
          ? ''
          : html`<li><a href="/v1/me/${token}/receipt.json" download>最近一次決定的收據（JSON）</a></li>`
      }
    </ul>
    <p class="soft">收據若含有條件，拿到的人就看得到，也能用它證明你當時同意了什麼。LOCAL 不留收據的副本。</p>
  </div>`;
}

function entryItem(entry: OwnEntry, { token, moved, receipts }: OwnPageView) {
  const standing = standingWords(entry);
  const opens = receipts.get(entry.position);
  const link =
    opens === undefined || moved
      ? ''
      : html` <a class="screen" href="/v1/me/${token}/receipt.json?position=${entry.position}" download
          >收據${opens ? '（含條件）' : '（不含條件）'}</a
        >`;
  return html`<li>
    <time datetime="${new Date(entry.at).toISOString()}">${taipeiTime(entry.at)}</time>
    <span class="soft">第 ${entry.position} 筆</span><br />
    ${ownWords(entry)}${standing === null ? '' : html` <span class="standing">${standing}</span>`}${link}
  </li>`;
}
