/**
 * Moves through a ledger without loading the page anew; without this script the same links and forms do the same.
 * @module
 */
const SETTLE_MS = 160;
let waiting = 0;
let newest = null;

/** Shows another moment of the same ledger; any failure falls back to loading the page. */
async function moveTo(url, remember, focusOn) {
  newest?.abort();
  const turn = new AbortController();
  newest = turn;
  const place = document.querySelector('#moment');
  place.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(url, { signal: turn.signal, headers: { accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.querySelector('#moment');
    if (!response.ok || next === null) throw new Error('another page');
    place.replaceWith(next);
    const language = page.querySelector('.language');
    if (language !== null) document.querySelector('.language')?.replaceWith(language);
    if (remember) history.pushState(null, '', url);
    next.querySelector(focusOn)?.focus({ preventScroll: true });
  } catch (error) {
    if (error.name !== 'AbortError') location.assign(url);
  }
}

function withinLedger(element) {
  const place = document.querySelector('#moment');
  return place?.contains(element) === true ? place : null;
}

document.addEventListener('input', ({ target }) => {
  const place = target.id === 'revision' ? withinLedger(target) : null;
  if (place === null) return;
  document.querySelector('#revision-said').value = target.value;
  clearTimeout(waiting);
  waiting = setTimeout(() => moveTo(`${place.dataset.path}?revision=${target.value}`, true, '#revision'), SETTLE_MS);
});

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  const place = link === null || link === undefined ? null : withinLedger(link);
  if (place === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const url = new URL(link.href);
  if (url.pathname !== place.dataset.path) return;
  event.preventDefault();
  moveTo(url.pathname + url.search, true, '.timeline [aria-current]');
});

addEventListener('popstate', () => {
  if (document.querySelector('#moment') !== null) moveTo(location.pathname + location.search, false, '#main');
});
