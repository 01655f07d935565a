import { z } from 'zod';
import type { Processor } from '../../../adapters/processor/types.ts';
import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { pendingHeaders, resultOf } from '../../../intents/follow.ts';
import { submitted } from '../../../intents/submitted.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { PayoutId } from '../../../kernel/ids.ts';
import { pageBehind } from '../../../kernel/pages.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { requireValue } from '../../../kernel/require.ts';
import { detachAccountFor, resolvePayout as recordFinding } from '../../payouts/commands.ts';
import { reversePayout as submitReversal } from '../../payouts/intents.ts';
import { findPayoutCents, findUnknownStep, listStranded } from '../../payouts/queries.ts';
import { approvedCommit } from '../approvals/commands.ts';

type Deps = {
  config: Pick<Config, 'CHECKOUT_DEADLINE_MS' | 'ACCOUNT_DEADLINE_MS' | 'DUAL_CONTROL_CENTS'>;
  db: Db;
  processor: Processor | null;
};

/** Handles `GET /v2/admin/payouts/stranded`: list payouts whose money is stranded. */
export const listStrandedPayouts: Handler<'listStrandedPayouts', Deps> = async ({ deps, query }) => {
  const isKnown = async (id: string) => (await findPayoutCents(deps.db, id)) !== null;
  return pageBehind(query, { path: '/v2/admin/payouts/stranded', placeAt, isKnown }, await listStranded(deps.db));
};

const placeAt = ({ since: at, payout_id: id }: { since: string; payout_id: PayoutId }) => ({ at, id });

/** Handles `POST /v2/admin/payouts/{payout_id}/reverse`: reverse the transfer of a payout. */
export const reversePayout: Handler<'reversePayout', Deps> = async (call) => {
  const { config } = call.deps;
  requireValue(call.deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const { payout_id } = call.path;
  const operator = operatorName(call.principal);
  const context = { operator, requestId: call.requestId, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const cents = (db: Pick<Db, 'maybeOneFirst'>) => findPayoutCents(db, payout_id);
  const commit = approvedCommit(call, { subject: payout_id, cents });
  const { accepted, pending } = await submitted({ ...call, commit }, async (db) => ({
    accepted: await submitReversal({ ...context, db }, payout_id, call.body.reason),
    pending: {
      status: 202 as const,
      body: { payout_id, status: 'pending' as const, processor_reversal_id: null },
      headers: pendingHeaders('/v2/admin/payouts/stranded'),
    },
  }));
  const result = resultOf(await call.settled(accepted), z.object({ processor_reversal_id: z.string() }));
  return result ? { status: 200, body: { payout_id, status: 'reversed', ...result } } : pending;
};

/** Handles `POST /v2/admin/payout-accounts/{processor_account_id}/detach`: detach a payout account from its user. */
export const detachPayoutAccount: Handler<'detachPayoutAccount'> = ({ principal, path, body, commit }) => {
  const by = { operator: operatorName(principal), reason: body.reason };
  return commit(async (db) => {
    await detachAccountFor(db, path.processor_account_id, by);
    return { status: 200, body: { detached: true } };
  });
};

/** Handles `POST /v2/admin/payouts/{payout_id}/resolve`: look up the step of a payout whose effect is unknown. */
export const resolvePayout: Handler<'resolvePayout', Deps> = async (call) => {
  const { deps, path, body, principal } = call;
  const { db, config } = deps;
  const processor = requireValue(deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const { payout_id } = path;
  const step = await findUnknownStep(db, payout_id);
  if (!step) {
    const isUnknown = (await findPayoutCents(db, payout_id)) === null;
    throw new ApiError(isUnknown ? 'V2_PAYOUT_UNKNOWN' : 'V2_PAYOUT_NOT_UNKNOWN', { effect: 'none' });
  }
  const read = await processor.findMovement(step);
  if (read.kind === 'unreadable') throw new ApiError('PROCESSOR_UNREADABLE', { effect: 'none' });
  const found = read.kind === 'found' ? read.data : null;
  const by = {
    operator: operatorName(principal),
    reason: body.reason,
    deadlineMs: config.ACCOUNT_DEADLINE_MS,
  };
  const facts = { step: step.step, intent_id: step.key, found: found?.id ?? null };
  return approvedCommit(call, { subject: payout_id, facts })(async (tx) => {
    await recordFinding(tx, step, found, by);
    const status = found ? 'found' : 'absent';
    return { status: 200, body: { payout_id, step: step.step, status, processor_id: found?.id ?? null } };
  });
};
