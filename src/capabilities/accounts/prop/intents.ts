import { sql } from 'slonik';
import type { Db } from '../../../db/pool.ts';
import { type Accepted, intentFor, type NewIntent, rejectionBy, type Submission } from '../../../intents/accept.ts';
import { newId, newIntentId, type PropAccountId, type UserId } from '../../../kernel/ids.ts';
import { provision } from '../provision.ts';
import { type Recovery, recover } from './commands.ts';

/** A free account to accept: the creation intent of its subaccount, and the account row written with it. */
export type NewFreeAccount = NewIntent & {
  prop_account_id: PropAccountId;
  user_id: UserId;
  tier_id: string;
  asset_class: string;
  account_size: number;
};

type AccountTerms = Pick<NewFreeAccount, 'tier_id' | 'asset_class' | 'account_size'>;

const errorOf = rejectionBy({
  tier_unknown: 'V2_TIER_UNKNOWN',
  tier_not_free: 'V2_TIER_NOT_FREE',
  tier_mismatch: 'V2_TIER_MISMATCH',
});

/**
 * Accepts a free account. If the user already has one of that tier, returns the intent of that creation. Throws an
 * `ApiError` if the request does not match the tier.
 */
export const openFreeAccount = (
  context: Submission<NewFreeAccount>,
  userId: UserId,
  wanted: AccountTerms,
): Promise<Accepted> => {
  const id = newId('prop');
  const subaccount = { assetClass: wanted.asset_class, accountSize: wanted.account_size };
  const newIntent = {
    ...wanted,
    ...intentFor(context, provision, { prop_account_id: id, subaccount }),
    prop_account_id: id,
    user_id: userId,
  };
  return context.accept(newIntent, errorOf);
};

/**
 * Starts the creation of a failed account's subaccount again and records the operator. Throws an `ApiError` unless the
 * earlier attempt certainly had no effect.
 */
export const provisionAgain = (
  db: Db,
  account: PropAccountId,
  { operator, reason }: Recovery,
  deadlineMs: number,
): Promise<void> =>
  recover(
    db,
    sql.fragment`provision_again(${account}, ${operator}, ${newIntentId()}, ${deadlineMs / 1000}, ${reason})`,
  );
