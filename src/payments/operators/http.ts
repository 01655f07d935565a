import { listUnserved } from '../../accounts/prop/queries.ts';
import { note } from '../../admin/audit/intents.ts';
import type { Handler } from '../../edge/handler.ts';
import { pendingHeaders, resultOf } from '../../intents/answers.ts';
import { adminOf, operatorName } from '../../kernel/principal.ts';
import { processorOf } from '../../runtime.ts';
import { refundPayment as askForRefund, saveTier } from '../intents.ts';
import { listTiers } from '../queries.ts';

export const listAllTiers: Handler<'listAllTiers'> = async ({ runtime }) => ({
  status: 200,
  body: [...(await listTiers(runtime.db, 'all'))],
});

export const putTier: Handler<'putTier'> = async ({ runtime, principal, path, body, address, requestId }) => {
  const tier = { ...body, tier_id: path.tier_id, currency: body.currency ?? 'usd', active: body.active ?? true };
  await saveTier(runtime.db, tier);
  const actor = { adminId: adminOf(principal).adminId, address, requestId };
  await note(runtime.db, { actor, action: 'tiers/put', detail: tier }, tier.tier_id);
  return { status: 200, body: tier };
};

export const listUnservedPayments: Handler<'listUnservedPayments'> = async ({ runtime, query }) => ({
  status: 200,
  body: [...(await listUnserved(runtime.db, query.minutes ?? 10))],
});

export const refundPayment: Handler<'refundPayment'> = async (call) => {
  const { db, acceptIntent: accept, config } = call.runtime;
  processorOf(call.runtime);
  const operator = operatorName(call.principal);
  const who = { db, accept, operator, requestId: call.requestId, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const intent = await call.settled(await askForRefund(who, call.path.payment_id));
  const result = resultOf(intent) as { refund_id: string } | null; // as recordRefund wrote it
  const payment_id = call.path.payment_id;
  if (result) return { status: 200, body: { payment_id, status: 'refunded', refund_id: result.refund_id } };
  return {
    status: 202,
    body: { payment_id, status: 'pending', refund_id: null },
    headers: pendingHeaders('/v2/admin/payments/unserved?minutes=0'),
  };
};
