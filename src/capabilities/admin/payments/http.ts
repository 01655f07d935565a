import { z } from 'zod';
import type { Processor } from '../../../adapters/processor/types.ts';
import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { pendingHeaders, resultOf } from '../../../intents/follow.ts';
import { submitted } from '../../../intents/submitted.ts';
import type { PaymentId } from '../../../kernel/ids.ts';
import { pageBehind, pageInOrder } from '../../../kernel/pages.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { requireValue } from '../../../kernel/require.ts';
import { listUnfulfilled } from '../../accounts/prop/queries.ts';
import { saveTier } from '../../payments/commands.ts';
import { refundPayment as submitRefund } from '../../payments/intents.ts';
import { findRefundCents, listTiers, tierPages } from '../../payments/queries.ts';
import { approvedCommit } from '../approvals/commands.ts';
import { actorOf } from '../audit/actor.ts';
import { note } from '../audit/commands.ts';

type Deps = {
  config: Pick<Config, 'CHECKOUT_DEADLINE_MS' | 'DUAL_CONTROL_CENTS'>;
  db: Db;
  processor: Processor | null;
};

/** Handles `GET /v2/admin/tiers`: list all tiers. */
export const listAllTiers: Handler<'listAllTiers', Deps> = async ({ deps, query }) =>
  pageInOrder(query, tierPages('/v2/admin/tiers'), await listTiers(deps.db, 'all'));

/** Handles `PUT /v2/admin/tiers/{tier_id}`: create or change a tier. */
export const putTier: Handler<'putTier', Deps> = (call) => {
  const tier = { ...call.body, tier_id: call.path.tier_id };
  return call.commit(async (db) => {
    await db.transaction(async (tx) => {
      await saveTier(tx, tier);
      await note(tx, { actor: actorOf(call), action: 'tiers/put', detail: tier }, tier.tier_id);
    });
    return { status: 200, body: tier };
  });
};

/** Handles `GET /v2/admin/payments/unfulfilled`: list payments without an account or a refund. */
export const listUnfulfilledPayments: Handler<'listUnfulfilledPayments', Deps> = async ({ deps, query }) => {
  const isKnown = async (id: string) => (await findRefundCents(deps.db, id)) !== null;
  const shown = { path: '/v2/admin/payments/unfulfilled', placeAt, isKnown };
  return pageBehind(query, shown, await listUnfulfilled(deps.db, query.minutes ?? 10));
};

const placeAt = ({ paid_at: at, payment_id: id }: { paid_at: string; payment_id: PaymentId }) => ({ at, id });

const refundResult = z.object({
  refund_id: z.string(),
  status: z.enum(['pending', 'requires_action', 'succeeded', 'failed', 'canceled']),
});

/** Handles `POST /v2/admin/payments/{payment_id}/refund`: refund a payment. */
export const refundPayment: Handler<'refundPayment', Deps> = async (call) => {
  const { config } = call.deps;
  requireValue(call.deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const by = { operator: operatorName(call.principal), reason: call.body.reason, requestId: call.requestId };
  const { payment_id } = call.path;
  const cents = (db: Pick<Db, 'maybeOneFirst'>) => findRefundCents(db, payment_id);
  const commit = approvedCommit(call, { subject: payment_id, cents });
  const { accepted, pending } = await submitted({ ...call, commit }, async (db) => ({
    accepted: await submitRefund(db, payment_id, by, config.CHECKOUT_DEADLINE_MS),
    pending: {
      status: 202 as const,
      body: { payment_id, status: 'pending' as const, refund_id: null },
      headers: pendingHeaders('/v2/admin/payments/unfulfilled?minutes=0'),
    },
  }));
  const result = resultOf(await call.settled(accepted), refundResult);
  if (!result) return pending;
  return { status: 200, body: { payment_id, status: result.status ?? 'pending', refund_id: result.refund_id } };
};
