import { nextAttemptMs, nextReconcileMs } from '../../intents/backoff.ts';
import { defineIntent } from '../../intents/define.ts';
import { markInDoubt, retry } from '../../intents/settle.ts';
import type { UpstreamResult } from '../../kernel/upstream-result.ts';
import { epochMs } from '../../kernel/work.ts';
import { type EvidenceDeps, findPayment, provenBy } from './evidence.ts';
import { type PaymentDeps, preparePayment } from './payment.ts';
import { type Paid, problemOf } from './results.ts';
import { isTerminal, nextPollMs, noteOf } from './rules.ts';
import { type PurchasePayload, purchasePayload, purchaseRequest } from './schema.ts';
import { endPurchase, noteInDoubt } from './store.ts';

type Config = { REGISTRAR_PATIENCE_MS: number; REGISTRATION_POLL_MS: number; REGISTRATION_MARGIN_S: number };
type Deps = PaymentDeps & EvidenceDeps & { config: Config };

/**
 * Pays for one registration. The signed payment is committed before it is sent, and pays once however often it is
 * posted.
 */
export const purchase = defineIntent({
  kind: 'registration/purchase',
  retention: 'with_money',
  claimed: 'to_prepare',
  request: purchaseRequest,
  payload: purchasePayload,
  /** `inFlightMs` is 0 because time proves nothing here: the chain shows when a payment can no longer settle. */
  timing: ({ config }: Deps) => ({ patienceMs: config.REGISTRAR_PATIENCE_MS, inFlightMs: 0 }),

  async prepare(intent, deps: Deps) {
    return preparePayment(intent, deps);
  },

  async send({ payload }, { registrar }, limits): Promise<UpstreamResult<Paid>> {
    const proof = payload.proofs[0] ?? null;
    const result = await registrar.pay(payload.body, payload, { ...limits, firstSend: true, proof });
    return result.kind === 'accepted' || result.kind === 'rejected' ? provenBy(result, payload, registrar) : result;
  },

  reconcile: ({ intent, payload }, deps: Deps) => findPayment(intent, payload, deps),

  /**
   * An acceptance schedules the first poll unless the status is final. A rejection schedules one read of the chain
   * after the authorization has expired, to detect a registrar that settles a payment it rejected.
   */
  async record({ intent, payload }, result, { db, config }) {
    switch (result.kind) {
      case 'accepted': {
        const pollS = isTerminal(result.data.status) ? null : nextPollMs(config.REGISTRATION_POLL_MS, 0) / 1000;
        return endPurchase(db, intent, 'succeeded', { result: result.data }, pollS);
      }
      case 'rejected':
        return endPurchase(db, intent, 'failed', { problem: problemOf(result) }, untilExpiryS(payload, config));
      case 'unreachable':
        return retry(db, intent, nextAttemptMs(intent.attempts), { code: 'V1_REGISTRAR_UNREACHABLE' });
      case 'unknown': {
        const isHeld = await markInDoubt(db, intent, nextReconcileMs(intent.reconcile_attempts), result.why);
        if (isHeld) await noteInDoubt(db, intent.id, noteOf(result.why));
        return isHeld;
      }
    }
  },
});

/** Seconds until an authorization can no longer be used on the chain, by our clock. */
const untilExpiryS = ({ authorization }: PurchasePayload, { REGISTRATION_MARGIN_S }: Config): number =>
  Math.max(0, Number(authorization.validBefore) + REGISTRATION_MARGIN_S + 1 - epochMs() / 1000);
