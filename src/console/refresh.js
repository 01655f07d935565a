import { h } from './dom.js';

const LOOK_MS = 5_000;
const AWAY_MS = 10 * 60_000; // then nobody is looking, and the session may grow idle

let isPaused = false;
let lastMove = Date.now();
for (const move of ['pointermove', 'pointerdown', 'keydown', 'scroll']) {
  addEventListener(move, () => (lastMove = Date.now()), { passive: true });
}

/** @type {ReturnType<typeof setInterval> | undefined} */
let timer;

/** Repeats something while the page is seen and its operator near it; replaces what was repeated before. @param {() => Promise<void>} look */
export function refreshBy(look) {
  stopRefreshing();
  let isReading = false;
  timer = setInterval(async () => {
    if (isReading || !isWatched()) return;
    isReading = true;
    await look();
    isReading = false;
  }, LOOK_MS);
}

const isWatched = () =>
  !isPaused && !document.hidden && !document.querySelector('dialog[open]') && Date.now() - lastMove < AWAY_MS;

/** Ends the repetition. */
export function stopRefreshing() {
  clearInterval(timer);
}

/** Says that a view is read again by itself, with a button that pauses this. */
export function refreshNote() {
  const button = h('button', { type: 'button', id: 'pause', 'aria-pressed': isPaused, onclick: toggle }, 'Pause');
  return h('p', { class: 'note' }, button, `Read again every ${LOOK_MS / 1_000} seconds while you are here.`);

  function toggle() {
    isPaused = !isPaused;
    button.setAttribute('aria-pressed', String(isPaused));
  }
}
