/** Builds elements without markup, so that no text of a message is ever read as HTML. @module */

/**
 * Makes an element. `on…` members are listeners, `class` and `data` are what they say, the rest are attributes; false,
 * null and undefined are left out.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'data') Object.assign(element.dataset, value);
    else if (name === 'style') Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** The element with this id; the server sent it. */
export const byId = (id) => document.getElementById(id);

const clockFormat = new Intl.DateTimeFormat('zh-TW', {
  timeZone: 'Asia/Taipei',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A moment as a clock in Taipei shows it, with seconds. */
export const clockTime = (at) => clockFormat.format(new Date(at));

/** Asks the simulator for something. Gives its answer; throws an Error with words for the person when it refuses. */
export async function ask(path, body) {
  let response;
  try {
    response = await fetch(`/chat/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error('連不到模擬器；請看程式是否還在執行。');
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.message ?? '模擬器沒有辦法處理這個要求。');
  return answer;
}
