import { h } from './dom.js';
import { complain, say } from './notices.js';

/** A button that copies a text whole. @param {string} text */
export const copyButton = (text) =>
  h('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${text}`, onclick: () => copy(text) }, 'Copy');

/** @param {string} text */
const copy = (text) => navigator.clipboard.writeText(text).then(() => say(`Copied: ${text}`), complain);
