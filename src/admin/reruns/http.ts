import type { Db } from '../../db/pool.ts';
import type { Handler } from '../../edge/handler.ts';
import { ApiError } from '../../kernel/errors.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { operatorName } from '../../kernel/principal.ts';
import { rerun } from './commands.ts';
import { findStory, listTroubled } from './queries.ts';

type Deps = { db: Db };

const DEFAULT_PAGE = 50;

/** Handles `GET /v2/admin/intents`: list intents by state. */
export const listTroubledIntents: Handler<'listTroubledIntents', Deps> = async ({ deps, query }) => {
  const { state, kind, owner, cursor, limit = DEFAULT_PAGE } = query;
  const found = await listTroubled(deps.db, {
    state: state ?? 'trouble',
    kind: kind ?? null,
    owner: owner ?? null,
    cursor: cursor ?? null,
    limit: limit + 1,
  });
  const asked = { state, kind, owner };
  return itemsOf(found, { path: '/v2/admin/intents', limit, asked, cursorOf: ({ intent_id }) => intent_id });
};

/** Handles `GET /v2/admin/intents/{intent_id}`: read everything recorded about an intent. */
export const getIntentStory: Handler<'getIntentStory', Deps> = async ({ deps, path }) => {
  const story = await findStory(deps.db, path.intent_id);
  if (!story) throw new ApiError('INTENT_UNKNOWN');
  return { status: 200, body: story };
};

/** Handles `POST /v2/admin/intents/{intent_id}/rerun`: run an intent again if that is safe. */
export const rerunIntent: Handler<'rerunIntent', Deps> = ({ principal, path, body, commit }) =>
  commit(async (db) => ({
    status: 200,
    body: await rerun(db, path.intent_id, operatorName(principal), body.reason),
  }));
