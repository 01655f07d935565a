import { expect } from 'chai';
import type { IntentOf } from '../../src/intents/define.ts';
import { found, unknownEffect } from '../../src/kernel/upstream-result.ts';
import { submitResponse } from '../../src/venues/network/adapter/orders.ts';
import type { Netvenue } from '../../src/venues/network/adapter/types.ts';
import { cancel } from '../../src/venues/network/orders/cancel.ts';
import { close } from '../../src/venues/network/orders/close.ts';
import { edit } from '../../src/venues/network/orders/edit.ts';
import { place } from '../../src/venues/network/orders/place.ts';
import { protect } from '../../src/venues/network/orders/protect.ts';
import { caseBy, generator, truthOf } from '../support/miner-cases.ts';
import {
  type Case,
  EXIT,
  playMiner,
  recordsOf,
  STARTS,
  type State,
  signals,
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

type Conclusion = { kind: string; data?: Record<string, unknown> };

/**
 * What the service concludes of one request, by its response or else by looking it up afterwards. A slow one is also looked up
 * before and between its attempts: what is concluded then has to hold at the end.
 */
async function conclusionOf(one: Case, state: State): Promise<Conclusion> {
  const signal = signals[one.verb];
  let reachedMs = 1e9;
  const venue = {
    submit: async () =>
      one.wire === 'slow' ? unknownEffect('too slow') : submitResponse(playMiner(one, state), signal, 100),
    orderStatus: async () => ({ kind: 'absent' }),
    dashboard: async () => found(recordsOf(one.verb, state).dashboard),
    orders: async () => found(recordsOf(one.verb, state).book),
  } as unknown as Netvenue; // as: calls nothing else
  const lifecycle = verbOf(one.verb) === place ? null : 'resting'; // of a new order nothing is recorded yet
  const db = {
    exists: async () => false,
    one: async () => ({ placement: 'succeeded', lifecycle, seconds: reachedMs, is_wanted: false }),
    oneFirst: async () => reachedMs,
    maybeOneFirst: async () => reachedMs,
  };
  const deps = {
    db,
    log: { error: () => {} },
    venues: { ofTrader: async () => venue },
    config: { NETVENUE_IN_FLIGHT_MS: 1 },
  } as never; // as: no more is read
  const of = { target: UUID, bracket: EXIT, before: BEFORE, terms: BEFORE };
  const sent = { intent, payload: { ...of, signal, position_uuid: 'p', since_ms: 0 } } as never; // as: each verb reads its own
  const verb = verbOf(one.verb);
  const result = await verb.send(sent, deps, limits);
  if (result.kind !== 'unknown') return result;
  if (one.wire !== 'slow') return verb.reconcile(sent, deps);
  reachedMs = 0;
  const looks: (() => Promise<Conclusion>)[] = [];
  const before: State[] = [];
  playMiner(one, state, () => before.push({ ...state }));
  const ended = { ...state };
  for (const at of before)
    looks.push(() => {
      Object.assign(state, at);
      return verb.reconcile(sent, deps);
    });
  for (const look of looks) {
    const early = await look();
    if (early.kind !== 'unknown') return early; // final, whatever the attempts after it do
  }
  Object.assign(state, ended);
  reachedMs = 1e9;
  return verb.reconcile(sent, deps);
}

function verbOf(name: Verb) {
  if (name.startsWith('protect')) return protect;
  if (name.startsWith('edit')) return edit;
  if (name === 'cancel') return cancel;
  return name === 'close' ? close : place;
}

/** What a verb records of an acceptance that says no more. */
const DEFAULTS: Partial<Record<Verb, string>> = {
  market: 'filled',
  'market with bad exits': 'filled',
  cancel: 'cancelled',
};

describe('what is reported of one request, whatever the miner’s attempts did', () => {
  it(`equals what is true, in ${CASES} cases`, async () => {
    const draw = generator(20_261_125);
    for (let n = 0; n < CASES; n++) {
      const one = caseBy(draw);
      const state = { ...STARTS[one.verb] };
      const ended = { ...STARTS[one.verb] };
      playMiner(one, ended);
      const told = await conclusionOf(one, state);
      const truth = truthOf(one, STARTS[one.verb], ended);
      const about = JSON.stringify({ n, one, truth, told });
      if (!truth.changed) expect(told.kind, about).to.be.oneOf(['rejected', 'absent']);
      else {
        if (truth.isRefused && told.kind === 'rejected') continue;
        expect(told.kind, about).to.equal('accepted');
        if (one.verb === 'close') continue; // that it is told as done says that the position is closed
        if (one.verb.startsWith('limit') && told.data?.lifecycle === undefined) continue; // told to rest, and read again
        expect(told.data?.lifecycle ?? DEFAULTS[one.verb] ?? 'resting', about).to.equal(truth.lifecycle);
        if (one.verb.startsWith('market') && !told.data?.mayRepeat)
          expect(told.data?.executed, about).to.include({ quantity: truth.fills }); // else it is looked at until that is over
        if (truth.isUnprotected) expect(told.data?.protection, about).to.include({ state: 'failed' });
      }
    }
  });
});
