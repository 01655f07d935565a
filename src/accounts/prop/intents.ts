import { sql } from 'slonik';
import { z } from 'zod';
import type { Subaccount } from '../../adapters/netvenue/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Accept, Accepted, Offer } from '../../intents/accept.ts';
import { newId, newIntentId } from '../../kernel/ids.ts';
import { Refusal, type RefusalCode } from '../../kernel/refusals.ts';

/** A free account to be accepted: the creation of its subaccount and the account beside it. */
export type FreeAccountOffer = Offer & {
  prop_account_id: string;
  user_id: string;
  tier_id: string;
  asset_class: string;
  account_size: number;
};

type Wanted = Pick<FreeAccountOffer, 'tier_id' | 'asset_class' | 'account_size'>;

const refusedFor: Record<string, RefusalCode> = {
  tier_unknown: 'V2_TIER_UNKNOWN',
  tier_not_free: 'V2_TIER_NOT_FREE',
  tier_mismatch: 'V2_TIER_MISMATCH',
};

/** Accepts a free account. Where the user has one of that tier, its creation stands for the request. */
export const openFreeAccount = (
  who: {
    accept: Accept<FreeAccountOffer>;
    asking: { owner: string; digest: string; request_id: string };
    deadlineMs: number;
  },
  userId: string,
  wanted: Wanted,
): Promise<Accepted> => {
  const id = newId('prop');
  const offer = {
    ...who.asking,
    ...wanted,
    id: newIntentId(),
    kind: 'accounts/provision',
    asked: { prop_account_id: id, subaccount: { assetClass: wanted.asset_class, accountSize: wanted.account_size } },
    deadline_s: who.deadlineMs / 1000,
    prop_account_id: id,
    user_id: userId,
  };
  return who.accept(offer, (verdict) => {
    const code = refusedFor[verdict];
    return code && new Refusal(code, { effect: 'none' });
  });
};

type Made = Pick<
  Subaccount,
  'syntheticHotkey' | 'subaccountId' | 'subaccountUuid' | 'assetClass' | 'accountSize' | 'status'
>;

const verdictRow = z.object({ verdict: z.string() });

const recoveryRefusals: Record<string, RefusalCode> = {
  unknown: 'V2_PROP_ACCOUNT_UNKNOWN',
  not_failed: 'V2_ACCOUNT_NOT_FAILED',
  not_stopped: 'V2_ACCOUNT_NOT_FAILED',
  given_up: 'V2_ACCOUNT_NOT_FAILED',
  owes: 'V2_ACCOUNT_OWES',
  returned: 'V2_PAYMENT_RETURNED',
  unproven: 'V2_RECOVERY_UNPROVEN',
  open: 'V2_RECOVERY_UNPROVEN',
  taken: 'V2_SUBACCOUNT_UNFIT',
};

function refuseUnlessDone(verdict: string): void {
  if (verdict === 'done') return;
  const code = recoveryRefusals[verdict];
  throw code ? new Refusal(code, { effect: 'none' }) : new Error(`Unforeseen verdict ${verdict}`);
}

/** Makes the subaccount of a failed account once more, in an operator's name. Refuses unless nothing can have been made before. */
export async function provisionAgain(db: Db, account: string, operator: string, deadlineMs: number): Promise<void> {
  refuseUnlessDone(
    await db.oneFirst(sql.type(verdictRow)`
      select provision_again(${account}, ${operator}, ${newIntentId()}, ${deadlineMs / 1000}) verdict`),
  );
}

/** Gives a failed account a subaccount of the network that nobody owns, in an operator's name. The caller has seen that it fits. */
export async function attachSubaccount(
  db: Db,
  account: string,
  operator: string,
  entityHotkey: string,
  made: Made,
): Promise<void> {
  refuseUnlessDone(
    await db.oneFirst(sql.type(verdictRow)`
      select attach_subaccount(${account}, ${operator}, ${JSON.stringify(subaccountMembers(made, entityHotkey))}::jsonb) verdict`),
  );
}

/** Lets an account trade again that a refund or dispute had stopped, in an operator's name; the network has the last word. */
export async function reinstateAccount(db: Db, account: string, operator: string): Promise<void> {
  refuseUnlessDone(await db.oneFirst(sql.type(verdictRow)`select reinstate_account(${account}, ${operator}) verdict`));
}

/** Takes a failed account off the list, in an operator's name. Refuses a paid one whose money was neither refunded nor disputed. */
export async function giveUpAccount(db: Db, account: string, who: string, why: string): Promise<void> {
  refuseUnlessDone(
    await db.oneFirst(sql.type(verdictRow)`select ops.give_up_account(${account}, ${who}, ${why}) verdict`),
  );
}

/** A subaccount under the names of its row. */
export const subaccountMembers = (made: Made, entityHotkey: string) => ({
  synthetic_hotkey: made.syntheticHotkey,
  entity_hotkey: entityHotkey,
  subaccount_id: made.subaccountId,
  subaccount_uuid: made.subaccountUuid,
  asset_class: made.assetClass,
  account_size: made.accountSize,
  status: made.status,
});
