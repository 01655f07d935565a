import type { Registrar } from '../../adapters/registrar/types.ts';
import { keepLostPayments } from '../../capabilities/registration/commands.ts';
import { listPayees } from '../../capabilities/registration/queries.ts';
import type { Db } from '../../db/pool.ts';
import type { Report } from './orders.ts';

const CHAIN_BEHIND_S = 60; // a block's time may be so far behind the clock

type Sources = { db: Db; registrar: Pick<Registrar, 'paymentsTo'> } & Report;

/**
 * Reads the payments on chain to the registrar's payees since then. One of an open purchase is kept with it, so that it is found there and
 * not made again; the others are kept and printed: their payers buy nothing until an operator has released them.
 */
export async function recoverRegistrations(
  { db, registrar, print, printUnread }: Sources,
  agreed: readonly string[] | null,
  sinceMs: number,
): Promise<void> {
  const payees = agreed ?? (await listPayees(db));
  if (payees.length === 0)
    return print('payments of registrations  not read: no payee is set, and none was paid before');
  const read = await registrar.paymentsTo(payees, Math.floor(sinceMs / 1000) - CHAIN_BEHIND_S);
  if (read.kind !== 'found') return printUnread('payments of registrations');
  const { adopted, lost } = await keepLostPayments(db, read.data);
  for (const { id, tx_hash } of adopted)
    print(`registration  ${id}  paid by ${tx_hash}: looked for there, never paid again`);
  for (const { tx_hash, payer, units, is_known } of lost)
    if (is_known)
      print(`registration payment  ${tx_hash}  ${units} units of ${payer}: not known here, see ops.lost_registrations`);
  const others = lost.filter(({ is_known }) => !is_known).length;
  if (others > 0)
    print(`registration payments  ${others} of payers who are not known here, see ops.lost_registrations`);
}
