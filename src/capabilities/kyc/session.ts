import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { type AppId, idSchema } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { getVerificationTerms } from './queries.ts';
import { recordSession } from './store.ts';

type Deps = ProcessorDeps & { sealer: Sealer };

const newVerification = z.object({
  userId: idSchema.user,
  appId: idSchema.app,
  withSelfie: z.boolean(),
  returnUrl: z.string().nullable(),
});

/** The members of the result; the URL and the secret are sealed. */
export const sessionResult = z.object({
  session_id: z.string(),
  url: z.string().nullable(),
  client_secret: z.string().nullable(),
});

/** Creates one verification session at the processor, with the intent's id as idempotency key. */
export const session = defineProcessorIntent({
  kind: 'kyc/session',
  retention: 'alone',
  request: z.object({ user_id: idSchema.user, in_session: z.string().optional() }),
  payload: z.object({ verification: newVerification }),

  async prepare({ owner, request: { user_id: userId } }, { db }: Deps) {
    const appId = owner as AppId; // as: only apps have users
    const { verification_level, return_url: returnUrl } = await getVerificationTerms(db, appId);
    const withSelfie = verification_level === 'full';
    return { send: { verification: { userId, appId, withSelfie, returnUrl } } };
  },

  call: ({ verification }, processor, key) => processor.createVerification(verification, key),

  record: ({ intent }, made, deps) => recordSession(deps, intent, made),
});
