import type { components } from '../../../contract/types.ts';
import type { NewIntent } from '../../../intents/accept.ts';
import { type IntentId, newIntentId } from '../../../kernel/ids.ts';
import type { Exits } from '../../exits.ts';
import type { WantedRow } from '../../queries.ts';
import type { Compared } from './comparison.ts';
import type { TraderIdentity } from './queries.ts';

type Protection = components['schemas']['VantaTpSlRequest'];

const MOST_REPAIRS = 3; // of one position while it is unprotected: exits that the network rejects again are the owner's to decide
const DEADLINE_S = 60;
const KIND = 'network/protect';

/** The id of the intent that is to put missing exits back; null if none is to. One that was recorded but never submitted keeps its id. */
export function wantsRepair({ repaired_by, repair_state, repairs }: WantedRow, { missing }: Compared): IntentId | null {
  if (missing.length === 0) return null;
  if (repaired_by !== null && repair_state === null) return repaired_by;
  const isOpen = repair_state === 'queued' || repair_state === 'running' || repair_state === 'in_doubt';
  return isOpen || repairs >= MOST_REPAIRS ? null : newIntentId();
}

/**
 * The intent that puts the first of the missing exits back: for the whole position if no other exits are wanted of it, else beside
 * them for their size. Null if that size is not known.
 */
export function repairOf(
  id: IntentId,
  { trader, pair, owner }: Pick<WantedRow, 'trader' | 'pair' | 'owner'>,
  { missing, wanted }: Compared,
  { subaccount_id, prop_account_id }: TraderIdentity,
): NewIntent | null {
  const [entry] = missing;
  const isWhole = wanted.filter(({ waits }) => !waits).length === 1;
  if (!entry || (!isWhole && entry.size === null)) return null;
  return {
    id,
    kind: KIND,
    owner,
    lane: `netvenue:${trader}:${pair}`,
    request: {
      trader,
      subaccount_id,
      ...(prop_account_id && { prop_account_id }),
      protection: { ...protectionOf(pair, entry), ...(!isWhole && { quantity: Number(entry.size) }) },
      repairs: { order_uuid: entry.order_uuid, version: entry.version },
    },
    digest: '',
    deadline_s: DEADLINE_S,
  };
}

const protectionOf = (trade_pair: string, { stop_loss, take_profit, trailing_stop }: Exits): Protection => ({
  trade_pair,
  ...(stop_loss !== null && { stop_loss: Number(stop_loss) }),
  ...(take_profit !== null && { take_profit: Number(take_profit) }),
  ...(trailing_stop !== null && { trailing_stop: trailing_stop as NonNullable<Protection['trailing_stop']> }), // as: of an earlier request
});
