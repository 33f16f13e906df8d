/**
 * Chromium for tests that need a real browser, and a visible word when there is none.
 * @module
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const EXECUTABLE = '/usr/bin/chromium';

/**
 * Whether there is a Chromium. Where there is none the tests are skipped with their count on the terminal; under CI that
 * is a failure, for a skipped test proves nothing.
 * @throws Error under CI when there is none.
 */
export function hasChromium(tests: number): boolean {
  if (existsSync(EXECUTABLE)) return true;
  const words = `${tests} browser tests need ${EXECUTABLE}, which is not here`;
  if (process.env.CI) throw new Error(words);
  process.stderr.write(`SKIPPED: ${words}\n`);
  return false;
}

/** Starts a Chromium that talks to nothing but the pages it is given; its profile is new and goes when it closes. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
