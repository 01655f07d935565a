import type { Logger } from 'pino';
import type { PaymentOnChain, Registrar } from '../../adapters/registrar/types.ts';
import type { Db } from '../../db/pool.ts';
import type { IntentId } from '../../kernel/ids.ts';
import { findPayload, getRegistration, type Registration } from './queries.ts';
import { isEnd, isOver, nextPollMs, notes, statusOf } from './rules.ts';
import type { PurchasePayload } from './schema.ts';
import { abandonRegistration, noteAbsence, planNextPoll, recordView, reviveRegistration } from './store.ts';

/** What polling a registration needs. */
export type PollDeps = {
  db: Db;
  registrar: Registrar;
  config: { REGISTRATION_POLL_MS: number; REGISTRATION_GRACE_MS: number; REGISTRATION_MARGIN_S: number };
  log: Pick<Logger, 'error'>;
};

/**
 * Polls the registrar once for a registration that is not final, or the chain for one whose rejected payment could
 * still settle, and schedules the next poll. `poll` numbers the poll: if another poll with that number has finished,
 * nothing is done.
 */
export async function pollRegistration(id: IntentId, poll: number, deps: PollDeps): Promise<void> {
  const payload = await findPayload(deps.db, id);
  if (!payload) return;
  const registration = await getRegistration(deps.db, id);
  if (registration.polls !== poll) return;
  const { tx_hash, status } = registration;
  if (status === 'failed' && tx_hash === null) return pollUnpaid(registration, payload, deps);
  if (status === 'pending' || status === 'processing') return pollPaid(registration, deps);
}

/** Polls the chain after a rejected payment until its authorization can no longer be used. */
async function pollUnpaid(registration: Registration, payload: PurchasePayload, deps: PollDeps): Promise<void> {
  const { registrar, config, db, log } = deps;
  const chain = await registrar.payment(payload.authorization, payload.since_block);
  const payment: PaymentOnChain | null = chain.kind === 'found' ? chain.data : null;
  if (payment?.txHash) {
    log.error({ registration_id: registration.id, tx_hash: payment.txHash }, 'a rejected payment was settled');
    return reviveRegistration(db, registration, payment.txHash);
  }
  if (payment && !payment.used && isOver(payload.authorization.validBefore, payment.atS, config.REGISTRATION_MARGIN_S))
    return;
  if (payment?.canceled) return;
  return planNextPoll(db, registration, nextPollMs(config.REGISTRATION_POLL_MS, registration.polls));
}

/**
 * An account that has ended is taken for an earlier one of the address: then the network does not have this one. A
 * registration that the registrar recorded as pending is not abandoned: the registrar asks the miner again without end.
 * The time that it has to record one does not pass while it is away.
 */
async function pollPaid(registration: Registration, { registrar, config, db, log }: PollDeps): Promise<void> {
  const { id, ex_address, polls, status } = registration;
  const nextMs = nextPollMs(config.REGISTRATION_POLL_MS, polls);
  const view = await registrar.status(ex_address);
  if (view.kind === 'found' && !isEnd(statusOf(view.data.status)))
    return recordView(db, registration, view.data, nextMs);
  if (view.kind !== 'unreadable' && (await noteAbsence(db, id)) > config.REGISTRATION_GRACE_MS) {
    const isRecorded = status === 'pending';
    log.error({ registration_id: id, tx_hash: registration.tx_hash }, isRecorded ? notes.pending : notes.abandoned);
    if (!isRecorded) return abandonRegistration(db, id);
  }
  return planNextPoll(db, registration, nextMs);
}
