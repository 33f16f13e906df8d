/**
 * The service's own pages: what runs here, is it alive, is it ready, what was counted.
 * @module
 */
import { Hono } from 'hono';
import { html } from 'hono/html';
import { secureHeaders } from 'hono/secure-headers';

/** What readiness is made of. */
export type Readiness = {
  /** `unavailable`: it does not answer, or its last writes failed. */
  readonly store: 'ok' | 'unavailable';
  readonly inbox: {
    readonly waiting: number;
    readonly oldestSeconds: number | null;
    /** For how long work that could be taken was not taken: 0 while workers work, whatever single jobs come to; null: none waits. */
    readonly overdueSeconds: number | null;
  };
  /** What operators must hear about, of the last minute. */
  readonly faults: readonly { readonly fault: string; readonly secondsAgo: number }[];
  readonly erasure: 'done' | 'erasure_pending';
  readonly catalog: 'ok' | 'unavailable';
};

export type PagesDependencies = {
  readonly buildId: string;
  readonly router: 'rules' | 'gemini';
  readonly simulator: boolean;
  readonly readiness: () => Promise<Readiness>;
  /** Counter values by name. */
  readonly counters: () => ReadonlyMap<string, number>;
};

/** An inbox whose work is not taken for longer than this has no worker, seconds. */
const INBOX_OVERDUE_MAX_SECONDS = 120;

/** Routes `/`, `/health`, `/ready`, `/metrics`. */
export function pages({ buildId, router, simulator, readiness, counters }: PagesDependencies): Hono {
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], styleSrc: ["'self'"] },
      strictTransportSecurity: false,
    }),
  );
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/ready', async (c) => {
    const parts = await readiness();
    const late = (parts.inbox.overdueSeconds ?? 0) > INBOX_OVERDUE_MAX_SECONDS;
    // A pending erasure or a damaged catalog is shown, but must not take look, cancel and forget off the air.
    const ready = parts.store === 'ok' && !late;
    return c.json({ ready, ...parts }, ready ? 200 : 503);
  });
  app.get('/metrics', (c) => {
    const lines = [...counters()].map(([name, value]) => `local_events_total{name="${name}"} ${value}`);
    return c.text(['# TYPE local_events_total counter', ...lines, ''].join('\n'), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    });
  });
  app.get('/', (c) =>
    c.html(html`<!doctype html>
      <html lang="zh-TW">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>LOCAL</title>
        </head>
        <body>
          <main>
            <h1>LOCAL</h1>
            <p>由本人同意、隨時可以收回的偏好帳本，和一個在地查詢服務。</p>
            <p>A consent and preference ledger for a chat assistant.</p>
            <dl>
              <dt>版本 build</dt>
              <dd>${buildId}</dd>
              <dt>理解文字 router</dt>
              <dd>${router === 'rules' ? '固定規則，沒有使用模型 (rules, no model)' : 'Gemini'}</dd>
              <dt>LINE</dt>
              <dd>${simulator ? '聊天模擬器 (simulator)' : 'POST /line/webhook'}</dd>
            </dl>
            <ul>
              ${simulator ? html`<li><a href="/chat">/chat 聊天模擬器</a></li>` : ''}
              <li><a href="/audit">/audit 稽核台 (audit console)</a></li>
              <li><a href="/ready">/ready 是否就緒</a></li>
              <li><a href="/metrics">/metrics 計數</a></li>
            </ul>
          </main>
        </body>
      </html>`),
  );
  return app;
}
