import type { ControlCall } from '../control-calls.ts';

const ENTITY = ['entity-of-a-tenant', 'the network identity of the tenant; the platform without it'] as const;

/** The control calls of the network. */
export const calls = {
  price: {
    does: 'Sets the price of a pair, which fills the resting orders that it reaches, and opens or closes its market.',
    members: {
      pair: ['BTCUSDC', 'a pair of the network'],
      price: [91_000, 'its price from now on'],
      'open?': [true, 'false closes its market'],
    },
  },
  subaccount: {
    does: 'Moves a subaccount: its state, its bucket, its elimination, its figures and its weeks.',
    members: {
      subaccount_id: [0, 'the number of the subaccount'],
      'entity?': ENTITY,
      'status?': ['active', 'active, pending, failed'],
      bucket: ['SUBACCOUNT_FUNDED', 'SUBACCOUNT_CHALLENGE, SUBACCOUNT_FUNDED'],
      'elimination?': ['MAX_DRAWDOWN', 'eliminates it, for this reason'],
      'closes?': [
        { dayOpen: 1, last: 0.97, highest: 1.02 },
        'the equity that its drawdown is measured by, as parts of its size',
      ],
      'settlements?': [
        [{ start_ms: 1_767_571_200_000, end_ms: 1_768_176_000_000, payout: 500 }],
        'its weeks, with what it earned in USD',
      ],
    },
  },
  age: {
    does: 'Lets time pass for one subaccount alone, as `/sandbox/clock/advance` does for all.',
    members: {
      subaccount_id: [0, 'the number of the subaccount'],
      seconds: [86_400, '1 to 34560000'],
      'entity?': ENTITY,
    },
  },
  magic: { reads: true, does: 'Lists the magic leverages.', members: {} },
  'restart-miner': { does: 'Makes the miners forget which orders they have seen.', members: {} },
} as const satisfies Record<string, ControlCall>;
