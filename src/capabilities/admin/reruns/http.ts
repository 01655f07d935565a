import type { Processor } from '../../../adapters/processor/types.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { askProcessor } from './ask-processor.ts';
import { requireSafe, rerun, rerunAll } from './commands.ts';
import { assessAll, findSent, findStory, isIntent, listTroubled, type TroubledIntent } from './queries.ts';

type Deps = { db: Db; processor: Processor | null };

/** Handles `GET /v2/admin/intents`: list intents by state. */
export const listTroubledIntents: Handler<'listTroubledIntents', Deps> = ({ deps, query }) => {
  const { state = 'trouble', kind = null, owner = null } = query;
  const isKnown = (id: IntentId) => isIntent(deps.db, id);
  const shown = { path: '/v2/admin/intents', cursorOf: (row: TroubledIntent) => row.intent_id, isKnown };
  return listPage(query, shown, (page) => listTroubled(deps.db, { state, kind, owner, ...page }));
};

/** Handles `GET /v2/admin/intents/{intent_id}`: read everything recorded about an intent. */
export const getIntentStory: Handler<'getIntentStory', Deps> = async ({ deps, path }) => {
  const story = await findStory(deps.db, path.intent_id);
  if (!story) throw new ApiError('INTENT_UNKNOWN');
  const sent = await findSent(deps.db, path.intent_id);
  const rerun = sent && deps.processor ? await askProcessor(story.rerun, sent, deps.processor) : story.rerun;
  return { status: 200, body: { ...story, rerun } };
};

/** Handles `POST /v2/admin/intents/{intent_id}/rerun`: run an intent again if that is safe. */
export const rerunIntent: Handler<'rerunIntent', Deps> = async ({ principal, path, body, commit }) => {
  const reply = await commit(async (db) => ({
    status: 200 as const,
    body: await rerun(db, path.intent_id, operatorName(principal), body.reason),
  }));
  requireSafe(reply.body, path.intent_id); // after the commit: one that is rejected stays on record
  return reply;
};

/** Handles `GET /v2/admin/reruns`: read what re-running many open intents would do. */
export const assessReruns: Handler<'assessReruns', Deps> = async ({ deps, query }) => {
  const { kind = null, owner = null, state = null } = query;
  return { status: 200, body: { assessments: [...(await assessAll(deps.db, { kind, owner, state }))] } };
};

/** Handles `POST /v2/admin/reruns`: run many open intents again, each if that is safe. */
export const rerunIntents: Handler<'rerunIntents', Deps> = ({ principal, body, commit }) =>
  commit(async (db) => {
    const { kind = null, owner = null, state = null, reason } = body;
    const results = await rerunAll(db, { kind, owner, state }, operatorName(principal), reason);
    return { status: 200, body: { results: [...results] } };
  });
