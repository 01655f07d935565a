import { ask } from '../api.js';
import { isRunnable, wordOf } from '../assessment.js';
import { act } from '../dialog.js';
import { h } from '../dom.js';
import { reason } from '../fields.js';
import { badge, code, idLink, moment } from '../format.js';
import { routeTo } from '../route.js';
import { actionButton, facts } from '../table.js';
import { attachRegistration } from './money-actions.js';

/** @typedef {import('../api.js').Schemas['IntentStory']} IntentStory */
/** @typedef {import('../api.js').Schemas['RerunAssessment']} Assessment */
/** @typedef {import('../views.js').Again} Again */

const VERDICTS = {
  queued_again: 'would be queued again',
  reconcile_again: 'would be reconciled again, never sent again',
  send_again: 'would be sent again under the same key if the processor does not have it',
  finished: 'has ended: nothing to do',
  would_act_twice: 'could take effect twice: rejected',
  at_work: 'needs none now: rejected',
};

/** One intent: its state, what a re-run would do, what happened. Refreshes automatically until it has ended. @param {string} intent_id @param {Again} again */
export async function renderStory(intent_id, again) {
  const story = await readStory(intent_id);
  return {
    content: [
      h('p', {}, h('a', { href: routeTo('intents') }, 'All intents')),
      stateOf(story),
      assessmentOf(story, again),
      ...attachable(story, again),
      timelineOf(story),
    ],
    isLive: story.intent.settled_at === null,
  };
}

/** @param {string} intent_id */
const readStory = (intent_id) => ask('get', '/v2/admin/intents/{intent_id}', { path: { intent_id } });

/** @param {IntentStory} story */
function stateOf({ intent, lane, job, waits_for, about }) {
  const belongs = Object.entries(about).map(([name, id]) => h('div', {}, `${name.replaceAll('_', ' ')} `, idLink(id)));
  return h(
    'section',
    { 'aria-labelledby': 'standing' },
    h('h2', { id: 'standing' }, 'State'),
    facts([
      ['Intent', idLink(intent.intent_id)],
      ['Kind', intent.kind],
      ['State', [badge(intent.state), intent.problem_code && code(intent.problem_code)]],
      ['Effect', intent.effect],
      ...(intent.unknown_because
        ? [/** @type {[string, any]} */ (['In doubt because', code(intent.unknown_because)])]
        : []),
      ['Owner', idLink(intent.owner)],
      ['Belongs to', belongs.length > 0 ? belongs : '–'],
      ['Attempts, reconciliations', `${intent.attempts}, ${intent.reconcile_attempts}`],
      ['To be sent until', moment(intent.deadline_at)],
      [
        'Lane',
        lane
          ? [code(lane.name), lane.is_head ? ' at its head' : ' behind another', `, ${lane.waiting} queued`]
          : 'none',
      ],
      ['Job', job ? jobState(job) : jobLess(intent)],
      ['Waits for', waits_for ? waitsFor(waits_for) : 'nothing: it has ended'],
    ]),
  );
}

/** @param {NonNullable<IntentStory['waits_for']>} waits */
const waitsFor = ({ reason, detail, until }) => [code(reason), ` ${detail}`, until && [', until ', moment(until)]];

/** @param {IntentStory['intent']} intent */
const jobLess = ({ settled_at }) => (settled_at ? 'none' : 'none: no job will execute it');

/** @param {NonNullable<IntentStory['job']>} job */
function jobState({ task, run_at, attempts, max_attempts, locked }) {
  if (locked) return `${task}, attempt ${attempts} of ${max_attempts}, held by a worker`;
  if (attempts >= max_attempts) return `${task}, dead after ${attempts} attempts: no worker will execute it`;
  return [`${task}, attempt ${attempts} of ${max_attempts}, due `, moment(run_at)];
}

/** @param {IntentStory} story @param {Again} again */
function assessmentOf({ intent, rerun }, again) {
  const button = actionButton('Run it once more…', 'rerunIntent', () => runAgain(intent.intent_id, again), {
    id: 're-run',
    class: 'primary',
  });
  return h(
    'section',
    { 'aria-labelledby': 'assessment' },
    h('h2', { id: 'assessment' }, 'What a re-run would do'),
    assessment(rerun),
    isRunnable(rerun) ? h('p', {}, button) : null,
  );
}

/** @param {Assessment} assessed */
const assessment = ({ verdict, was_sent, venue_says, would_do, reason }) =>
  facts([
    ['Assessment', [badge(wordOf({ verdict })), ' ', VERDICTS[verdict]]],
    ['Was it sent?', was_sent ? 'It may have been: bytes may have left.' : 'No: nothing has left.'],
    ['The venue says', venue_says ?? 'nothing recorded'],
    ['A re-run would', would_do],
    ['Because', reason],
  ]);

/** Reads the assessment again, shows it, and then lets the operator confirm. @param {string} intent_id @param {Again} again */
async function runAgain(intent_id, again) {
  const { rerun } = await readStory(intent_id);
  const result = await act({
    title: 'Run an intent once more',
    says: [assessment(rerun)],
    fields: [reason],
    button: 'Run it once more',
    run: (body, key) => ask('post', '/v2/admin/intents/{intent_id}/rerun', { path: { intent_id }, body, key }),
  });
  if (result)
    await again(
      result.done ? `Done: ${VERDICTS[result.assessment.verdict]}.` : `Nothing to do: ${result.assessment.reason}`,
    );
}

/** What a registration at the network needs that ended without proof of its effect. @param {IntentStory} story @param {Again} again */
function attachable({ intent: { intent_id, kind, effect, settled_at }, about }, again) {
  const isUndecided = kind === 'accounts/provision' && settled_at !== null && effect === 'unknown';
  if (!isUndecided || about.prop_account_id || about.trader) return [];
  const attach = async () => {
    const done = await attachRegistration(intent_id);
    if (done) await again(`Subaccount ${done.subaccount.subaccount_id} belongs to ${done.partner_id}.`);
  };
  return [
    h('p', {}, actionButton('Attach the subaccount that it made…', 'attachRegistration', attach, { id: 'attach' })),
  ];
}

/** @param {IntentStory} story */
const timelineOf = ({ timeline }) =>
  h(
    'section',
    { 'aria-labelledby': 'happened' },
    h('h2', { id: 'happened' }, 'What happened'),
    h(
      'ol',
      { class: 'timeline' },
      timeline.map(({ at, what, detail }) =>
        h('li', {}, moment(at), ' ', h('strong', {}, what.replaceAll('_', ' ')), detail && h('span', {}, ` ${detail}`)),
      ),
    ),
  );
