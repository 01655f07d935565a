import { h } from './dom.js';

const POLL_MS = 5_000;
const AWAY_MS = 10 * 60_000; // without input for this long, refreshing stops and the session may become idle

let isPaused = false;
let lastMove = Date.now();
for (const move of ['pointermove', 'pointerdown', 'keydown', 'scroll']) {
  addEventListener(move, () => (lastMove = Date.now()), { passive: true });
}

/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;

/** Repeats a read while the page is visible and in use. Replaces the previous one. @param {() => Promise<void>} read */
export function refreshBy(read) {
  stopRefreshing();
  let isReading = false;
  timer = setInterval(async () => {
    if (isReading || !isWatched()) return;
    isReading = true;
    await read();
    isReading = false;
  }, POLL_MS);
}

const isWatched = () =>
  !isPaused &&
  !document.hidden &&
  !document.querySelector('dialog[open], form[data-typed]') &&
  Date.now() - lastMove < AWAY_MS;

/** Stops refreshing. */
export function stopRefreshing() {
  clearInterval(timer);
}

/** A note that the view refreshes automatically, with a button that pauses it. */
export function refreshNote() {
  const button = h(
    'button',
    { type: 'button', id: 'pause-refreshing', 'aria-pressed': isPaused, onclick: toggle },
    'Pause',
  );
  return h(
    'p',
    { class: 'note' },
    button,
    `Refreshes every ${POLL_MS / 1_000} seconds while you use this page and fill in no filter.`,
  );

  function toggle() {
    isPaused = !isPaused;
    button.setAttribute('aria-pressed', String(isPaused));
  }
}
