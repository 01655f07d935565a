import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { getConnectUrls } from './queries.ts';
import { recordLink } from './store.ts';

type Deps = ProcessorDeps & { sealer: Sealer };

/** The members of the result; the URL is sealed. */
export const linkResult = z.object({ onboarding_url: z.string() });

/** Creates one onboarding link, with the intent's id as idempotency key. */
export const link = defineProcessorIntent({
  kind: 'payouts/link',
  retention: 'alone',
  request: z.object({ processor_account_id: z.string() }),
  payload: z.object({ link: z.object({ accountId: z.string(), returnUrl: z.string(), refreshUrl: z.string() }) }),

  async prepare({ owner, request }, { db }: Deps) {
    const { return_url: returnUrl, refresh_url: refreshUrl } = await getConnectUrls(db, owner);
    if (!returnUrl || !refreshUrl) return { fail: { code: 'V2_CONNECT_URLS_NOT_CONFIGURED' } };
    return { send: { link: { accountId: request.processor_account_id, returnUrl, refreshUrl } } };
  },

  call: ({ link }, processor, key) => processor.createLink(link, key),

  record: ({ intent }, made, deps) => recordLink(deps, intent, made),
});
