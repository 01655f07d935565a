import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { type AppId, idSchema } from '../../kernel/ids.ts';
import { findConnectAccount } from './queries.ts';
import { recordAccount } from './store.ts';

const request = z.object({
  user_id: idSchema.user,
  country: z.string(),
  is_abroad: z.boolean(),
  session_id: z.string().optional(),
  replaces: z.string().optional(),
});

/** An account to open, for the user of a session. */
export type NewAccount = z.infer<typeof request>;

/**
 * Creates a user's account at the processor, with the intent's id as idempotency key. A user has at most one: the one that it
 * `replaces`, by its id at the processor, is detached as this one is recorded.
 */
export const account = defineProcessorIntent({
  kind: 'payouts/account',
  retention: 'with_money',
  request,
  payload: z.object({
    account: z.object({ userId: idSchema.user, appId: idSchema.app, country: z.string(), isAbroad: z.boolean() }),
  }),

  async prepare(
    { owner, request: { user_id: userId, country, is_abroad: isAbroad, replaces } },
    { db }: ProcessorDeps,
  ) {
    const present = await findConnectAccount(db, owner, userId);
    if (present && present.processor_account_id !== replaces) return { fail: { code: 'V2_CONNECT_ACCOUNT_EXISTS' } };
    const appId = owner as AppId; // as: only apps have users
    return { send: { account: { userId, appId, country, isAbroad } } };
  },

  call: ({ account }, processor, key) => processor.createAccount(account, key),

  record: ({ intent }, made, { db }) => recordAccount(db, intent, intent.request, made),
});
