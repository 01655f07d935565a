import type { components } from '../../../contract/types.ts';
import type { NewIntent } from '../../../intents/accept.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import type { Compared, Exits } from '../../exits.ts';
import type { WantedRow } from '../../queries.ts';
import type { TraderIdentity } from './queries.ts';

type Protection = components['schemas']['VantaTpSlRequest'];

const DEADLINE_S = 60;
const KIND = 'network/protect';

/**
 * The intent that puts the first missing exits back: for the whole position if no other exits of it are wanted, else only for their size. Null if
 * that size is not known.
 */
export function repairOf(
  id: IntentId,
  { trader, pair }: Pick<WantedRow, 'trader' | 'pair'>,
  { missing, wanted }: Compared,
  { owner, subaccount_id, prop_account_id }: TraderIdentity,
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
