import type { Processor } from '../../adapters/processor/types.ts';
import type { Handler } from '../../contract/handler.ts';
import { intentFor, type NewIntent, type SubmitDeps } from '../../intents/accept.ts';
import { spendDaily } from '../../intents/daily-budgets.ts';
import { orEarlier, pendingHeaders } from '../../intents/follow.ts';
import { fullResultOf } from '../../intents/sealed-results.ts';
import { ApiError } from '../../kernel/errors.ts';
import { userOf } from '../../kernel/principal.ts';
import { requireValue } from '../../kernel/require.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { findKycCase } from './queries.ts';
import { session, sessionResult } from './session.ts';

type Deps = SubmitDeps<'acceptIntent', NewIntent, 'CHECKOUT_DEADLINE_MS'> & {
  sealer: Sealer;
  processor: Processor | null;
};

/** Handles `GET /v2/kyc/status`: read the state of the user's identity verification. */
export const getKycStatus: Handler<'getKycStatus', Deps> = async ({ deps, principal }) => {
  const { owner, userId } = userOf(principal);
  const found = await findKycCase(deps.db, owner, userId);
  return {
    status: 200,
    body: {
      user_id: userId,
      kyc_provider: found?.provider ?? null,
      kyc_status: found?.status ?? 'unverified',
      kyc_verified_at: found?.verifiedAt ?? null,
      kyc_failure_reason: found?.failureReason ?? null,
    },
  };
};

/** Handles `POST /v2/kyc/processor-identity/session`: begin to verify the user's identity. */
export const startIdentitySession: Handler<'startIdentitySession', Deps> = async (call) => {
  const { deps, context } = call;
  const { owner, userId, sessionId } = userOf(call.principal);
  requireValue(deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const accept = async () => {
    const found = await findKycCase(deps.db, owner, userId);
    if (found?.status === 'verified') throw new ApiError('V2_KYC_VERIFIED', { effect: 'none' });
    await spendDaily(call, { identity_sessions_per_user: userId, identity_sessions: owner });
    const submission = { context, deadlineMs: deps.config.CHECKOUT_DEADLINE_MS };
    return deps.acceptIntent(intentFor(submission, session, { user_id: userId, in_session: sessionId }));
  };
  const intent = await call.settled(await accept().catch(orEarlier(deps.db, context)));
  const result = await fullResultOf(deps, intent, sessionResult);
  if (result) return { status: 200, body: result, headers: { 'Cache-Control': 'no-store' } };
  return {
    status: 202,
    body: { session_id: null, url: null, client_secret: null, status: 'pending' },
    headers: pendingHeaders(`/v2/intents/${intent.id}`, intent),
  };
};
