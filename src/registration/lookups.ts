import type { PaymentOnChain, Registrar } from '../adapters/registrar/types.ts';
import type { Finding } from '../intents/carry-out.ts';
import type { Intent } from '../intents/intent.ts';
import { accepted, inDoubt, rejected } from '../kernel/answer.ts';
import type { WorkerRuntime } from '../runtime.ts';
import type { PurchaseAsked } from './intents.ts';
import {
  abandonRegistration,
  lookLater,
  notePayment,
  type Paid,
  paidBy,
  recordView,
  reviveRegistration,
} from './outcomes.ts';
import type { SentPurchase } from './paying.ts';
import type { Registration } from './queries.ts';
import { isOver, nextPollMs, notes, statusOf } from './rules.ts';

/**
 * What became of a payment in doubt. The chain decides: paid, or never to be paid once the authorization has run out. While it
 * still may be used the same bytes are posted again, which can not pay twice: the token takes the nonce once.
 */
export async function findPayment(runtime: WorkerRuntime, intent: Intent, sent: SentPurchase): Promise<Finding<Paid>> {
  const { registrar, config, db } = runtime;
  const chain = await registrar.payment(sent.authorization, sent.since_block);
  if (chain.kind !== 'found') return inDoubt('chain_unreadable');
  const { txHash, atS } = chain.said;
  if (txHash !== null) {
    await notePayment(db, intent.id, txHash);
    return accepted(await paidOnChain(registrar, intent, txHash));
  }
  if (chain.said.canceled) return rejected('authorization_canceled', 'The payer took the authorization back.');
  if (chain.said.used) return inDoubt('no_answer'); // its transaction does not show yet
  if (isOver(sent.authorization.validBefore, atS, config.REGISTRATION_MARGIN_S)) return { kind: 'absent' };
  return postAgain(runtime, intent, sent);
}

async function paidOnChain(registrar: Registrar, { asked }: Intent, txHash: string): Promise<Paid> {
  const view = await registrar.status((asked as PurchaseAsked).ex_address);
  if (view.kind !== 'found') return paidBy({ status: 'unrecorded', txHash, message: null });
  return { status: statusOf(view.said.status), tx_hash: txHash, message: view.said.message };
}

/** Each time with a proof of its own, as long as there are any; one that was used before is refused, which proves nothing. */
async function postAgain(
  { registrar, stopping }: WorkerRuntime,
  intent: Intent,
  sent: SentPurchase,
): Promise<Finding<Paid>> {
  const proof = sent.proofs[intent.looks] ?? null;
  if (intent.looks >= REPEATS || (sent.proofs.length > 0 && !proof)) return inDoubt('no_answer');
  const answer = await registrar.pay(sent.body, sent, { firstSend: false, proof, signal: stopping });
  if (answer.kind === 'accepted') return accepted(paidBy(answer.said));
  return inDoubt(answer.kind === 'in_doubt' ? answer.why : 'no_answer');
}

const REPEATS = 6;

/** Looks once at a registration whose purchase has ended, records what is new and plans the next look. */
export async function lookAt(runtime: WorkerRuntime, registration: Registration, sent: SentPurchase): Promise<void> {
  const { tx_hash, status } = registration;
  if (status === 'failed' && tx_hash === null) return lookForRefused(runtime, registration, sent);
  if (status === 'pending' || status === 'processing') return lookForPaid(runtime, registration);
}

/** A refused authorization is looked at until the chain shows that it can not be used any more. */
async function lookForRefused(
  { registrar, config, db, log }: WorkerRuntime,
  registration: Registration,
  sent: SentPurchase,
): Promise<void> {
  const chain = await registrar.payment(sent.authorization, sent.since_block);
  const seen: PaymentOnChain | null = chain.kind === 'found' ? chain.said : null;
  if (seen?.txHash) {
    log.error({ registration_id: registration.id, tx_hash: seen.txHash }, 'a refused payment was settled');
    return reviveRegistration(db, registration, seen.txHash);
  }
  if (seen && !seen.used && isOver(sent.authorization.validBefore, seen.atS, config.REGISTRATION_MARGIN_S)) return;
  if (seen?.canceled) return;
  return lookLater(db, registration, nextPollMs(config.REGISTRATION_POLL_MS, registration.polls));
}

async function lookForPaid({ registrar, config, db, log }: WorkerRuntime, registration: Registration): Promise<void> {
  const { id, ex_address, polls, paid_ago_ms } = registration;
  const nextMs = nextPollMs(config.REGISTRATION_POLL_MS, polls);
  const view = await registrar.status(ex_address);
  if (view.kind === 'found') return recordView(db, registration, view.said, nextMs);
  if (view.kind === 'absent' && (paid_ago_ms ?? 0) > config.REGISTRATION_GRACE_MS) {
    log.error({ registration_id: id, tx_hash: registration.tx_hash }, notes.abandoned);
    return abandonRegistration(db, id);
  }
  return lookLater(db, registration, nextMs);
}
