import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { type AppId, idSchema } from '../../kernel/ids.ts';
import { listConnectAccounts } from './queries.ts';
import { recordAccount } from './store.ts';

/** Creates a user's account at the processor, with the intent's id as idempotency key. A user has at most one. */
export const account = defineProcessorIntent({
  kind: 'payouts/account',
  retention: 'with_money',
  request: z.object({
    user_id: idSchema.user,
    country: z.string(),
    is_abroad: z.boolean(),
    session_id: z.string().optional(),
  }),
  payload: z.object({
    account: z.object({ userId: idSchema.user, appId: idSchema.app, country: z.string(), isAbroad: z.boolean() }),
  }),

  async prepare({ owner, request: { user_id: userId, country, is_abroad: isAbroad } }, { db }: ProcessorDeps) {
    const accounts = await listConnectAccounts(db, owner, userId);
    if (accounts.length > 0) return { fail: { code: 'V2_CONNECT_ACCOUNT_EXISTS' } };
    const appId = owner as AppId; // as: only apps have users
    return { send: { account: { userId, appId, country, isAbroad } } };
  },

  call: ({ account }, processor, key) => processor.createAccount(account, key),

  record: ({ intent, payload }, made, { db }) =>
    recordAccount(db, intent, { ...payload.account, sessionId: intent.request.session_id ?? null }, made),
});
