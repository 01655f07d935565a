import type { Registrar } from '../../adapters/registrar/types.ts';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId, WalletAddress } from '../../kernel/ids.ts';
import { findRegistration } from './queries.ts';
import { isEnd, isSuccess, statusOf } from './rules.ts';
import { endAccount } from './store.ts';

/**
 * Records the end of the account that an owner has registered for an address, if the registrar reports one: then the address may
 * register again. False: the account lives, or was paid less than `graceMs` ago, so that the report may be about one before it.
 * Throws V1_REGISTRAR_UNREACHABLE.
 */
export async function endEarlierAccount(
  { db, registrar, graceMs }: { db: Db; registrar: Registrar; graceMs: number },
  owner: OwnerId,
  exAddress: WalletAddress,
): Promise<boolean> {
  const earlier = await findRegistration(db, owner, exAddress);
  if (!earlier || !isSuccess(earlier.status)) return true; // another request has recorded the end
  if ((earlier.paid_ago_ms ?? 0) <= graceMs) return false;
  const view = await registrar.status(exAddress);
  if (view.kind === 'unreadable') throw new ApiError('V1_REGISTRAR_UNREACHABLE', { effect: 'none' });
  const status = view.kind === 'absent' ? 'deregistered' : statusOf(view.data.status);
  if (!isEnd(status)) return false;
  await endAccount(db, earlier.id, status === 'failed' ? 'eliminated' : status); // a failed registration never had an account
  return true;
}
