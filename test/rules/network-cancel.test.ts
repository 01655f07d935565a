import { expect } from 'chai';
import type { IntentOf } from '../../src/intents/define.ts';
import { found } from '../../src/kernel/upstream-result.ts';
import { submitResponse } from '../../src/venues/network/adapter/orders.ts';
import { cancel } from '../../src/venues/network/orders/cancel.ts';
import { playMiner, recordsOf, STARTS, signals, UUID } from '../support/miner-model.ts';

const terms = { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'LIMIT' };
const intent = { id: UUID, lane: null, request: { trader: 'e_1', subaccount_id: 1 } } as IntentOf<never>;
const limits = { notAfter: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

/** A cancellation of an order that the network has cancelled within its cooldown, and does not find. */
describe('a cancellation that finds its order cancelled', () => {
  const parts = (placement: string) => {
    const state = { ...STARTS.cancel, order: 'cancelled' as const };
    const { dashboard, book } = recordsOf('cancel', state);
    const one = { verb: 'cancel', fates: ['answered'], wire: 'arrives', cooldown: true, dedup: false } as const;
    const venue = {
      submit: async () => submitResponse(playMiner({ ...one, fates: [...one.fates] }, state), signals.cancel, 100),
      orderStatus: async () => ({ kind: 'absent' }),
      dashboard: async () => found(dashboard),
      orders: async () => found(book),
    };
    const db = {
      one: async () => ({ placement, seconds: 1e9, now_s: null, is_wanted: false }),
      exists: async () => false,
    };
    const deps = { db, venues: { ofTrader: async () => venue }, config: { NETVENUE_IN_FLIGHT_MS: 1 } } as never; // as: no more is read
    return { deps, sent: { intent, payload: { target: UUID, terms, signal: signals.cancel } } as never };
  };

  for (const { placement, kind } of [
    { placement: 'in_doubt', kind: 'unknown' }, // the miner's next attempt may fill it
    { placement: 'succeeded', kind: 'accepted' },
  ])
    it(`is ${kind} while its placement is ${placement}`, async () => {
      const { deps, sent } = parts(placement);

      expect((await cancel.send(sent, deps, limits)).kind).to.equal(kind);
      expect((await cancel.reconcile(sent, deps)).kind).to.equal(kind);
    });
});
