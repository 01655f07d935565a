import type { CallLimits } from '../adapters/registrar/types.ts';
import type { Carrier } from '../intents/carry-out.ts';
import type { Intent } from '../intents/intent.ts';
import { type Answer, accepted } from '../kernel/answer.ts';
import type { WorkerRuntime } from '../runtime.ts';
import { type Paid, paidBy, recordPurchase } from './outcomes.ts';
import type { SentPurchase } from './paying.ts';

/** The spine's carrier with the registrar's patience. Nothing is concluded from time: the chain says when nothing can land. */
export const registrarCarrier = (runtime: WorkerRuntime): Carrier => ({
  ...runtime,
  patienceMs: runtime.config.REGISTRAR_PATIENCE_MS,
  inFlightMs: 0,
});

/** Posts a payment for the first time. */
export async function sendPurchase(
  { registrar }: WorkerRuntime,
  sent: SentPurchase,
  limits: Required<Pick<CallLimits, 'notAfter' | 'signal'>>,
): Promise<Answer<Paid>> {
  const answer = await registrar.pay(sent.body, sent, { ...limits, firstSend: true, proof: sent.proofs[0] ?? null });
  return answer.kind === 'accepted' ? accepted(paidBy(answer.said)) : answer;
}

/** Records what was said of a payment, with the plans of this service. */
export const recordPaid = (
  { db, config }: WorkerRuntime,
  intent: Intent,
  { authorization }: SentPurchase,
  answer: Answer<Paid>,
): Promise<boolean> =>
  recordPurchase(db, intent, answer, {
    pollMs: config.REGISTRATION_POLL_MS,
    refusedLookS: Math.max(0, Number(authorization.validBefore) + config.REGISTRATION_MARGIN_S + 1 - Date.now() / 1000),
  });
