import type { Handler } from '../edge/handler.ts';
import { pendingHeaders } from '../intents/answers.ts';
import { wholeResultOf } from '../intents/hidden.ts';
import { newIntentId } from '../kernel/ids.ts';
import { userOf } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import { processorOf } from '../runtime.ts';
import { findKycCase } from './queries.ts';

export const getKycStatus: Handler<'getKycStatus'> = async ({ runtime, principal }) => {
  const { owner, userId } = userOf(principal);
  const found = await findKycCase(runtime.db, owner, userId);
  return {
    status: 200,
    body: {
      user_id: userId,
      kyc_provider: found?.provider ?? null,
      kyc_status: found?.status ?? 'unverified',
      kyc_verified_at: found?.verified_at ?? null,
      kyc_failure_reason: found?.failure_reason ?? null,
    },
  };
};

type Session = { session_id: string; url: string | null; client_secret: string | null };

export const startIdentitySession: Handler<'startIdentitySession'> = async (call) => {
  const { runtime, asking } = call;
  const { owner, userId } = userOf(call.principal);
  processorOf(runtime);
  const found = await findKycCase(runtime.db, owner, userId);
  if (found?.status === 'verified') throw new Refusal('V2_KYC_VERIFIED', { effect: 'none' });
  const offer = {
    ...asking,
    id: newIntentId(),
    kind: 'kyc/session',
    asked: { user_id: userId },
    deadline_s: runtime.config.CHECKOUT_DEADLINE_MS / 1000,
  };
  const intent = await call.settled(await runtime.acceptIntent(offer));
  const result = (await wholeResultOf(runtime, intent)) as Session | null; // as recordSession wrote it
  if (result) return { status: 200, body: result, headers: { 'Cache-Control': 'no-store' } };
  return {
    status: 202,
    body: { session_id: null, url: null, client_secret: null, status: 'pending' },
    headers: pendingHeaders(`/v2/intents/${intent.id}`),
  };
};
