import type { Handler } from '../../edge/handler.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { operatorName } from '../../kernel/principal.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { rerun } from './intents.ts';
import { findStory, listTroubled } from './queries.ts';

const DEFAULT_PAGE = 50;

export const listTroubledIntents: Handler<'listTroubledIntents'> = async ({ runtime, query }) => {
  const { state, kind, owner, cursor, limit = DEFAULT_PAGE } = query;
  const found = await listTroubled(runtime.db, {
    state: state ?? 'trouble',
    kind: kind ?? null,
    owner: owner ?? null,
    cursor: cursor ?? null,
    limit: limit + 1,
  });
  const asked = { state, kind, owner };
  return itemsOf(found, { path: '/v2/admin/intents', limit, asked, cursorOf: ({ intent_id }) => intent_id });
};

export const getIntentStory: Handler<'getIntentStory'> = async ({ runtime, path }) => {
  const story = await findStory(runtime.db, path.intent_id);
  if (!story) throw new Refusal('INTENT_UNKNOWN');
  return { status: 200, body: story };
};

export const rerunIntent: Handler<'rerunIntent'> = async ({ runtime, principal, path, body }) => ({
  status: 200,
  body: await rerun(runtime.db, path.intent_id, operatorName(principal), body.reason),
});
