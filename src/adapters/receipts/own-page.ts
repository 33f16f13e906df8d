/**
 * A person's own page behind a signed link: look and download, for ten minutes. Nothing can be decided here; there is no
 * route that takes anything but GET.
 * @module
 */
import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { CardKeys } from '../../commands/card.ts';
import { OWN_PAGE_PATH, openOwnLink, type OwnLinkClaim, type OwnLinkRefusal } from '../../commands/own-link.ts';
import type { LedgerRef, TenantId } from '../../events/identity.ts';
import type { LedgerReader } from '../../events/ports.ts';
import { ownHistory } from '../../projections/own-history.ts';
import { canOpen, decisionsOf, receiptOf } from '../../projections/receipt.ts';
import { type Controller, consentRecord, type JsonLd } from '../../projections/record.ts';
import { noticePage, ownPageHtml, STYLE_SOURCE } from './own-page-html.ts';
import { type OwnLedger, readOwn } from './own-reading.ts';

/** How many events are read for the page, its record and its receipts. */
const EVENTS_MAX = 2_000;
/** How many of them the page lists. */
const LISTED_MAX = 500;

/** What the page counts. */
export type OwnPageCount = OwnLinkRefusal | 'own_page_shown' | 'own_download';

export type OwnPageDependencies = {
  readonly reader: LedgerReader;
  readonly tenantId: TenantId;
  readonly cardKeys: CardKeys;
  readonly controller: Controller;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly count: (name: OwnPageCount) => void;
};

type Opened = { readonly claim: OwnLinkClaim; readonly ledger: LedgerRef; readonly own: OwnLedger };

/** Routes `/v1/me/<token>`, `…/record.json`, `…/receipt.json[?position=N]`, mounted at `/`. */
export function ownPage({ reader, tenantId, cardKeys, controller, clock, count }: OwnPageDependencies): Hono {
  const app = new Hono();
  app.use(
    `${OWN_PAGE_PATH}/*`,
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: [STYLE_SOURCE],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: 'no-referrer',
      xFrameOptions: 'DENY',
      strictTransportSecurity: false,
    }),
    async (c, next) => {
      await next();
      c.header('cache-control', 'no-store');
      c.header('x-robots-tag', 'noindex');
    },
  );

  /** What the link opens, or the answer in its place. */
  async function open(c: Context, token: string): Promise<Opened | Response> {
    const opened = openOwnLink(cardKeys, tenantId, token, clock());
    if (!opened.ok) {
      count(opened.refusal);
      return refused(c, opened.refusal);
    }
    const ledger = await reader.ledger(opened.claim.ledgerId);
    if (ledger === null) return refused(c, 'invalid_own_link');
    const own = await readOwn(reader, ledger.ledgerId, EVENTS_MAX);
    if (own === null) return c.html(noticePage('紀錄現在讀不出來', '帳本裡有一筆紀錄讀不出來，所以這次不顯示。'), 500);
    return { claim: opened.claim, ledger, own };
  }

  async function download(c: Context, token: string, name: string, make: (opened: Opened) => JsonLd | null) {
    const opened = await open(c, token);
    if (opened instanceof Response) return opened;
    if (opened.own.revision !== opened.claim.revision) {
      return c.html(
        noticePage('不能下載了', '這個連結發出之後，你的偏好有變動。請回到 LINE 重新輸入「我的紀錄」。'),
        410,
      );
    }
    const made = make(opened);
    if (made === null) return c.html(noticePage('沒有這份收據', '請回到上一頁，從清單上選一份。'), 404);
    count('own_download');
    return c.body(`${JSON.stringify(made, null, 2)}\n`, 200, {
      'content-type': 'application/ld+json; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
    });
  }

  app.get(`${OWN_PAGE_PATH}/:token`, async (c) => {
    const token = c.req.param('token');
    const opened = await open(c, token);
    if (opened instanceof Response) return opened;
    const { claim, own } = opened;
    count('own_page_shown');
    const history = ownHistory(own.events).slice(-LISTED_MAX).toReversed();
    const moved = own.revision !== claim.revision;
    return c.html(
      ownPageHtml({
        token,
        expiresAt: claim.expiresAt,
        inForce: moved ? null : own.inForce,
        moved,
        history,
        earlier: own.position - history.length,
        receipts: new Map(
          decisionsOf(own.events).map((each) => [each.decided.event.position, canOpen(each, own.content)]),
        ),
        controller,
      }),
    );
  });

  app.get(`${OWN_PAGE_PATH}/:token/record.json`, (c) =>
    download(c, c.req.param('token'), 'local-record.json', ({ ledger, own }) =>
      consentRecord({ ledgerId: ledger.ledgerId, purpose: ledger.purpose, events: own.events, controller }),
    ),
  );

  app.get(`${OWN_PAGE_PATH}/:token/receipt.json`, (c) => {
    const asked = c.req.query('position');
    return download(c, c.req.param('token'), 'local-receipt.json', ({ ledger, own }) => {
      const decisions = decisionsOf(own.events);
      const decision =
        asked === undefined
          ? decisions.at(-1)
          : decisions.find(({ decided }) => String(decided.event.position) === asked);
      if (decision === undefined) return null;
      return receiptOf({ ledgerId: ledger.ledgerId, purpose: ledger.purpose, controller }, decision, own.content);
    });
  });

  app.onError((_error, c) =>
    c.html(noticePage('現在查不到', '紀錄現在查不到，什麼都沒有改變。請過一會兒重新整理這一頁。'), 503),
  );
  app.all(`${OWN_PAGE_PATH}/*`, (c) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return refused(c, 'invalid_own_link');
    c.header('allow', 'GET, HEAD');
    return c.html(noticePage('這裡不能做決定', '這個頁面只能看；要同意、更正或忘記，請用 LINE 裡的按鈕。'), 405);
  });
  return app;
}

function refused(c: Context, refusal: OwnLinkRefusal) {
  return refusal === 'expired_own_link'
    ? c.html(noticePage('連結過期了', '這個連結只在 10 分鐘內有效。請回到 LINE 重新輸入「我的紀錄」。'), 410)
    : c.html(noticePage('這個連結不能用', '連結不完整，或不是這裡發出的。請回到 LINE 輸入「我的紀錄」。'), 404);
}
