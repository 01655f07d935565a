import type { Registered, Registrar } from '../../adapters/registrar/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Finding, IntentOf } from '../../intents/define.ts';
import {
  type Accepted,
  accepted,
  acknowledged,
  type Rejected,
  recordedRejection,
  type UnknownEffect,
  unknownEffect,
} from '../../kernel/upstream-result.ts';
import { type Paid, paidBy } from './results.ts';
import { isEnd, isOver, statusOf } from './rules.ts';
import type { PurchasePayload, PurchaseRequest } from './schema.ts';
import { notePayment } from './store.ts';

/** What resolving a payment in doubt needs. */
export type EvidenceDeps = {
  db: Db;
  registrar: Registrar;
  config: { REGISTRATION_MARGIN_S: number };
  stopping: AbortSignal;
};

type Purchase = IntentOf<PurchaseRequest>;

/**
 * What the registrar says of a payment, as far as the chain shows it, with the hash that the chain shows. What it accepts is in doubt until then, and
 * so is what it rejects while the chain does not show that it was not made. See venues/registrar.md#on-chain.
 */
export async function provenBy<Said extends Accepted<Registered> | Rejected>(
  said: Said,
  { authorization, since_block }: PurchasePayload,
  registrar: Registrar,
): Promise<Accepted<Paid> | UnknownEffect | Exclude<Said, { kind: 'accepted' }>> {
  const chain = await registrar.payment(authorization, since_block);
  const { txHash, used, canceled } = chain.kind === 'found' ? chain.data : UNREAD;
  const { status, message } = said.kind === 'accepted' ? said.data : ({ status: 'unrecorded', message: null } as const);
  if (txHash !== null) return accepted(paidBy({ status, txHash, message }));
  if (said.kind === 'accepted') return acknowledged('not_shown');
  return used && !canceled ? unknownEffect('settlement_unclear') : (said as Exclude<Said, { kind: 'accepted' }>); // as: just proven
}

/** A chain that cannot be read may show anything. */
const UNREAD = { txHash: null, used: true, canceled: false };

/**
 * Resolves a payment in doubt. The chain decides: the payment settled, or its authorization has expired and it never
 * can. Until then the same bytes are posted again. That cannot pay twice, because the token accepts the nonce once.
 */
export async function findPayment(
  intent: Purchase,
  payload: PurchasePayload,
  deps: EvidenceDeps,
): Promise<Finding<Paid>> {
  const { registrar, config, db } = deps;
  const chain = await registrar.payment(payload.authorization, payload.since_block);
  if (chain.kind !== 'found') return unknownEffect('chain_unreadable');
  const { txHash, atS } = chain.data;
  if (txHash !== null) {
    await notePayment(db, intent.id, txHash);
    return accepted(await paidOnChain(registrar, intent, txHash));
  }
  if (chain.data.canceled) return recordedRejection(CANCELED);
  if (chain.data.used) return unknownEffect('no_response'); // its transaction is not visible yet
  if (isOver(payload.authorization.validBefore, atS, config.REGISTRATION_MARGIN_S)) return { kind: 'absent' };
  if (intent.presumed_sent_at !== null) return unknownEffect('no_response'); // of a restored database: what was not sent is not sent now
  return postAgain(intent, payload, deps);
}

async function paidOnChain(registrar: Registrar, { request }: Purchase, txHash: string): Promise<Paid> {
  const view = await registrar.status(request.ex_address);
  if (view.kind !== 'found' || isEnd(statusOf(view.data.status)))
    return paidBy({ status: 'unrecorded', txHash, message: null });
  return { status: statusOf(view.data.status), tx_hash: txHash, message: view.data.message };
}

const CANCELED = { slug: 'authorization_canceled', message: 'The payer cancelled the authorization.' };

const REPEATS = 6;

/**
 * Posts the payment again, each time with an unused proof. Without one it does not post: the rejection of a used proof
 * proves nothing about the payment.
 */
async function postAgain(
  { reconcile_attempts }: Purchase,
  payload: PurchasePayload,
  { registrar, stopping }: EvidenceDeps,
): Promise<Finding<Paid>> {
  const proof = payload.proofs[reconcile_attempts] ?? null;
  if (reconcile_attempts >= REPEATS || (payload.proofs.length > 0 && !proof)) return unknownEffect('no_response');
  const result = await registrar.pay(payload.body, payload, { firstSend: false, proof, signal: stopping });
  if (result.kind === 'accepted') return provenBy(result, payload, registrar);
  return unknownEffect(result.kind === 'unknown' ? result.why : 'no_response');
}
