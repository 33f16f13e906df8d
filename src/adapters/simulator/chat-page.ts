/**
 * The chat page as the server sends it: every control with its label; the script only fills in what happens.
 * @module
 */
import { html } from 'hono/html';

const PIN = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 21s7-6.2 7-11.5a7 7 0 0 0-14 0C5 14.8 12 21 12 21z"/><circle cx="12" cy="9.5" r="2.5"/></svg>`;
const SMILE = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9"/><path d="M8.5 14.5a4.2 4.2 0 0 0 7 0M9 9.5v.5M15 9.5v.5"/></svg>`;

/** Sentences to begin with, offered in an empty chat. */
const OPENINGS = ['花壇有推薦吃的嗎？', '以後優先找蔬食，幫我記住', '我的偏好'];

/** The page. @param movableClock whether the host lets the page move the time on. */
export function chatPage({ movableClock }: { readonly movableClock: boolean }) {
  return html`<!doctype html>
<html lang="zh-Hant-TW">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>聊天模擬器 · LOCAL</title>
<link rel="icon" href="/chat/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/chat/style.css">
<script type="module" src="/chat/app.js"></script>
</head>
<body>
<a class="skip" href="#words">跳到輸入欄</a>
<header class="top">
  <h1><img src="/chat/icon.svg" alt="" width="28" height="28">LOCAL<span>聊天模擬器</span></h1>
  <p class="clock"><span class="quiet">現在</span> <time id="clock">—</time>
    ${movableClock ? html`<button type="button" id="advance" class="small">+5 分鐘</button>` : ''}</p>
  <p id="connection" class="connection" role="status"></p>
</header>
<nav class="who" aria-label="用誰的身分聊天">
  <div id="people" class="people"></div>
  <button type="button" id="add-person" class="small ghost">＋ 一個人</button>
</nav>
<div class="views" role="tablist" aria-label="畫面">
  <button type="button" role="tab" id="tab-chat" aria-controls="chat" aria-selected="true">聊天</button>
  <button type="button" role="tab" id="tab-ledger" aria-controls="ledger" aria-selected="false" tabindex="-1">帳本</button>
  <button type="button" role="tab" id="tab-traffic" aria-controls="traffic" aria-selected="false" tabindex="-1">往來</button>
</div>
<div class="columns" data-view="chat">
<main id="chat" class="chat" aria-labelledby="chat-title">
  <header class="chat-head">
    <div><h2 id="chat-title">—</h2><p id="chat-id" class="mono quiet"></p></div>
    <label class="switch"><input type="checkbox" id="plain"><span>文字版</span></label>
    <button type="button" id="relation" class="small ghost">封鎖</button>
  </header>
  <div id="scroll" class="scroll" tabindex="0" role="region" aria-label="聊天內容">
    <section id="opening" class="opening" hidden>
      <p class="opening-title">先加 LOCAL 為好友，或直接說一句話</p>
      <p class="quiet">這裡的人都是假的；事件照 LINE 的方式簽章送出，程式跑的和正式上線時一樣。</p>
      <button type="button" id="follow" class="primary">加 LOCAL 為好友</button>
      <div class="chips">${OPENINGS.map((words) => html`<button type="button" class="chip" data-say="${words}">${words}</button>`)}</div>
    </section>
    <ol id="log" class="log" aria-label="訊息"></ol>
    <p id="typing" class="typing" hidden><span class="hidden">LOCAL 正在回覆</span><i></i><i></i><i></i></p>
  </div>
  <div id="quick" class="quick" role="group" aria-label="快速回覆"></div>
  <form id="composer" class="composer">
    <details class="manner" id="manner">
      <summary><span>下一個事件</span> <b id="manner-words">一對一 · active · 立刻送</b></summary>
      <div class="manner-body">
        <fieldset><legend>來源</legend>
          <label><input type="radio" name="source" value="user" checked>一對一</label>
          <label><input type="radio" name="source" value="group">群組</label></fieldset>
        <fieldset><legend>模式</legend>
          <label><input type="radio" name="mode" value="active" checked>active</label>
          <label><input type="radio" name="mode" value="standby">standby</label></fieldset>
        <fieldset><legend>投遞</legend>
          <label><input type="radio" name="hold" value="no" checked>立刻送</label>
          <label><input type="radio" name="hold" value="yes">先扣住</label></fieldset>
      </div>
    </details>
    <div class="line">
      <button type="button" id="send-location" class="icon" aria-label="傳位置" title="傳位置">${PIN}</button>
      <button type="button" id="send-sticker" class="icon" aria-label="傳貼圖" title="傳貼圖">${SMILE}</button>
      <label class="hidden" for="words">訊息</label>
      <textarea id="words" name="words" rows="1" maxlength="10000" placeholder="輸入訊息" autocomplete="off" enterkeyhint="send"></textarea>
      <button type="submit" id="send" class="primary send">送出</button>
    </div>
  </form>
</main>
<aside id="ledger" class="panel" aria-labelledby="ledger-title">
  <header><h2 id="ledger-title">帳本</h2>
    <button type="button" id="refresh" class="small ghost">重新整理</button></header>
  <div id="ledger-now" class="now" role="status"></div>
  <ol id="ledger-events" class="events" aria-label="事件，舊的在前"></ol>
</aside>
<section id="traffic" class="panel" aria-labelledby="traffic-title">
  <header><h2 id="traffic-title">平台往來</h2><span class="quiet">新的在前</span></header>
  <ol id="traffic-lines" class="traffic"></ol>
</section>
</div>
<dialog id="text-dialog" aria-labelledby="text-dialog-title"><form method="dialog">
  <h2 id="text-dialog-title"></h2>
  <textarea id="text-dialog-text" class="mono" rows="14" readonly aria-labelledby="text-dialog-title"></textarea>
  <p class="buttons"><button type="button" id="text-dialog-copy">複製</button><button class="primary" value="close">關閉</button></p>
</form></dialog>
<dialog id="location-dialog" aria-labelledby="location-title"><form method="dialog" id="location-form">
  <h2 id="location-title">傳位置</h2>
  <label>名稱<input name="title" required maxlength="100" value="花壇車站附近"></label>
  <label>地址<input name="address" maxlength="100" value="彰化縣花壇鄉"></label>
  <div class="two"><label>緯度<input name="latitude" required type="number" step="any" min="-90" max="90" value="24.0256"></label>
  <label>經度<input name="longitude" required type="number" step="any" min="-180" max="180" value="120.5376"></label></div>
  <p class="buttons"><button value="cancel" formnovalidate>取消</button><button class="primary" value="send">傳送</button></p>
</form></dialog>
<dialog id="edit-dialog" aria-labelledby="edit-title"><form method="dialog">
  <h2 id="edit-title">編輯訊息</h2>
  <p class="quiet">LINE 目前只在群組裡提供編輯；事件是 messageEdited。</p>
  <label>新的內容<textarea id="edit-text" rows="4" required maxlength="10000"></textarea></label>
  <p class="buttons"><button value="cancel" formnovalidate>取消</button><button class="primary" value="save">送出編輯</button></p>
</form></dialog>
<p id="live" class="hidden" aria-live="polite"></p>
<div id="toast" class="toast" role="status" aria-live="polite"></div>
<noscript><p class="noscript">這個頁面要開啟 JavaScript 才能聊天。</p></noscript>
</body>
</html>`;
}
