import { expect } from 'chai';
import type { IntentOf } from '../../src/intents/define.ts';
import { found } from '../../src/kernel/upstream-result.ts';
import { submitResponse } from '../../src/venues/network/adapter/orders.ts';
import type { Netvenue } from '../../src/venues/network/adapter/types.ts';
import { cancel } from '../../src/venues/network/orders/cancel.ts';
import { edit } from '../../src/venues/network/orders/edit.ts';
import { place } from '../../src/venues/network/orders/place.ts';
import { protect } from '../../src/venues/network/orders/protect.ts';
import {
  type Case,
  caseBy,
  EXIT,
  generator,
  playMiner,
  recordsOf,
  STARTS,
  type State,
  signals,
  truthOf,
  UUID,
  type Verb,
} from '../support/miner-model.ts';

/** `npm test` runs 500 cases; the long proof sets more. */
const CASES = Number(process.env.NETWORK_CASES ?? 500);

const BEFORE = {
  trade_pair: 'BTCUSDC',
  order_type: 'LONG',
  execution_type: 'LIMIT',
  limit_price: 90,
  quantity: 1,
} as never;
const intent = { id: UUID, lane: null, request: { trader: 'e_1', subaccount_id: 1 } } as IntentOf<never>;
const limits = { notAfter: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

/** What the service concludes of one request, by its response or else by looking it up afterwards. */
async function conclusionOf(one: Case, state: State): Promise<{ kind: string; data?: Record<string, unknown> }> {
  const signal = signals[one.verb];
  const venue = {
    submit: async () => submitResponse(playMiner(one, state), signal, 100),
    orderStatus: async () => ({ kind: 'absent' }),
    dashboard: async () => found(recordsOf(one.verb, state).dashboard),
    orders: async () => found(recordsOf(one.verb, state).book),
  } as unknown as Netvenue; // as: calls nothing else
  const db = {
    exists: async () => false,
    one: async () => ({ placement: 'succeeded' }),
    oneFirst: async () => 1e9,
    maybeOneFirst: async () => 1e9,
  };
  const deps = {
    db,
    log: { error: () => {} },
    venues: { ofTrader: async () => venue },
    config: { NETVENUE_IN_FLIGHT_MS: 1 },
  } as never; // as: no more is read
  const payload = { signal, target: UUID, bracket: EXIT, before: BEFORE, terms: BEFORE };
  const verb = one.verb.startsWith('protect')
    ? protect
    : one.verb.startsWith('edit')
      ? edit
      : one.verb === 'cancel'
        ? cancel
        : place;
  const result = await verb.send({ intent, payload } as never, deps, limits);
  return result.kind === 'unknown' ? await verb.reconcile({ intent, payload } as never, deps) : result;
}

/** What a verb records of an acceptance that says no more. */
const DEFAULTS: Partial<Record<Verb, string>> = { market: 'filled', cancel: 'cancelled' };

describe('what is told of one request, whatever the miner’s attempts did', () => {
  it(`equals what is true, in ${CASES} cases`, async () => {
    const draw = generator(20_261_125);
    for (let n = 0; n < CASES; n++) {
      const one = caseBy(draw);
      const state = { ...STARTS[one.verb] };
      const told = await conclusionOf(one, state);
      const truth = truthOf(one, STARTS[one.verb], state);
      const about = JSON.stringify({ n, one, truth, told });
      if (!truth.changed) expect(told.kind, about).to.be.oneOf(['rejected', 'absent']);
      else {
        expect(told.kind, about).to.equal('accepted');
        expect(told.data?.lifecycle ?? DEFAULTS[one.verb] ?? 'resting', about).to.equal(truth.lifecycle);
        if (one.verb === 'market') expect(told.data?.executed, about).to.include({ quantity: truth.fills });
        if (truth.isUnprotected) expect(told.data?.protection, about).to.include({ state: 'failed' });
      }
    }
  });
});
