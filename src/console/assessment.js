/** @typedef {import('./api.js').Schemas['RerunAssessment']['verdict']} Verdict */

/** @type {Record<Verdict, string>} */
const WORDS = {
  queued_again: 'safe',
  reconcile_again: 'safe',
  send_again: 'safe',
  finished: 'nothing to do',
  would_act_twice: 'not safe',
  at_work: 'not needed',
};

/** Whether a re-run would do something. Only then there is a button for it. @param {{ verdict: Verdict }} assessed */
export const isRunnable = ({ verdict }) => WORDS[verdict] === 'safe';

/** The badge of an assessment. It says "safe" of what can be run again, and of nothing else. @param {{ verdict: Verdict }} assessed */
export const wordOf = ({ verdict }) => WORDS[verdict];
