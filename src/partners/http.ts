import type { Handler } from '../edge/handler.ts';
import { shownIntent } from '../intents/answers.ts';
import { findIntent } from '../intents/read.ts';
import { Refusal } from '../kernel/refusals.ts';

export const getPartnerIntent: Handler<'getPartnerIntent'> = async ({ runtime, principal, path }) => {
  const intent = await findIntent(runtime.db, principal.owner, path.intent_id.toLowerCase());
  if (!intent) throw new Refusal('INTENT_UNKNOWN');
  return { status: 200, body: shownIntent(intent), headers: { 'Intent-Id': intent.id } };
};
