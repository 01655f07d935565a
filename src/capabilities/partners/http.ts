import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import { findIntent, shownIntent } from '../../intents/follow.ts';
import { ApiError } from '../../kernel/errors.ts';

type Deps = { db: Db };

/** Handles `GET /v1/intents/{intent_id}`: read one of the partner's intents. */
export const getPartnerIntent: Handler<'getPartnerIntent', Deps> = async ({ deps, principal, path }) => {
  const intent = await findIntent(deps.db, principal.owner, path.intent_id.toLowerCase());
  if (!intent) throw new ApiError('INTENT_UNKNOWN');
  return { status: 200, body: shownIntent(intent), headers: { 'Intent-Id': intent.id } };
};
