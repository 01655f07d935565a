import { expect } from 'chai';
import { magicLeverages } from '../../src/sandbox/network/index.ts';
import { closeNetwork, control, effects, type Network, openNetwork, openPositions, order, take } from './network.ts';

describe('one uuid, one order', () => {
  let network: Network;

  beforeEach(async () => {
    network = await openNetwork({ processingMs: 150 });
  });

  afterEach(() => closeNetwork(network));

  it('rejects a repeat without the first result, even while the first is in flight', async () => {
    const signal = order();

    const responses = await Promise.all([network.venue.submit(signal), network.venue.submit(signal)]);
    const later = await network.venue.submit(signal);

    expect(responses.map(({ kind }) => kind)).to.have.members(['accepted', 'unknown']);
    expect(later).to.include({ kind: 'unknown' });
    expect(effects(network)).to.deep.equal(['market']);
  });

  it('keeps a rejected uuid at the miner', async () => {
    const signal = order({ value: 5 });
    await network.venue.submit(signal);

    expect(await network.venue.submit({ ...signal, value: 500 })).to.include({ kind: 'unknown' });
    expect(effects(network)).to.deep.equal([]);
  });

  it('is known to the validator when the miner forgot it', async () => {
    const signal = order();
    await take(network, signal);
    await control(network, 'restart-miner', {});

    expect(await network.venue.submit(signal)).to.include({ kind: 'unknown' });
    expect(effects(network)).to.deep.equal(['market']);
  });

  it('is not sent at all past its deadline', async () => {
    const late = await network.venue.submit(order(), { notAfter: Date.now() - 1 });

    expect(late).to.deep.equal({ kind: 'unreachable', why: 'TOO_LATE' });
    expect(effects(network)).to.deep.equal([]);
  });

  it('is absent from the archive in flight, completed afterwards, and overwritten by a cancel', async () => {
    const signal = order({ execution_type: 'LIMIT', limit_price: 90_000 });
    const sent = network.venue.submit(signal);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const inFlight = await network.venue.orderStatus(signal.order_uuid);
    await sent;
    const done = await network.venue.orderStatus(signal.order_uuid);
    await take(network, order({ execution_type: 'LIMIT_CANCEL', order_uuid: signal.order_uuid }));
    const cancelled = await network.venue.orderStatus(signal.order_uuid);

    expect(inFlight).to.deep.equal({ kind: 'absent' });
    expect(done).to.nested.include({ 'data.status': 'completed', 'data.executionType': 'LIMIT' });
    expect(cancelled).to.nested.include({ 'data.status': 'completed', 'data.executionType': 'LIMIT_CANCEL' });
  });
});

describe('scripted faults of the sandbox network', () => {
  let network: Network;

  const submitUnder = async (fault: object) => {
    await control(network, 'faults', { route: 'submit-order', times: 1, ...fault });
    const signal = order();
    const response = await network.venue.submit(signal, { timeoutMs: 200 });
    return { response, done: effects(network).length, positions: (await openPositions(network)).length };
  };

  beforeEach(async () => {
    network = await openNetwork();
  });

  afterEach(() => closeNetwork(network));

  for (const [kind, response, done] of [
    ['accept_then_drop', 'unknown', 1],
    ['status_500', 'unknown', 0],
    ['reset', 'unknown', 0],
    ['hang', 'unknown', 0],
    ['html_200', 'unknown', 0],
    ['cut_json', 'unknown', 1],
    ['reject', 'rejected', 0],
  ] as const) {
    it(`${kind}: the caller gets ${response}, the ledger holds ${done}`, async () => {
      const outcome = await submitUnder({ kind });

      expect(outcome.response.kind).to.equal(response);
      expect(outcome).to.include({ done, positions: done });
    });
  }

  it('late: in doubt with a short timeout, accepted with a longer one', async () => {
    const timedOut = await submitUnder({ kind: 'late', delayMs: 400 });
    const inTime = await submitUnder({ kind: 'late', delayMs: 20 });

    expect([timedOut.response.kind, inTime.response.kind]).to.deep.equal(['unknown', 'accepted']);
    expect(inTime.done).to.equal(2);
  });

  it('affect only the given route, the given number of times, until cleared', async () => {
    network.upstream.faults.add({ kind: 'reset', route: 'order-status' });
    await submitUnder({ kind: 'reset', times: 1 });
    const after = await network.venue.submit(order());
    const lookup = await network.venue.orderStatus(crypto.randomUUID());
    await control(network, 'faults', {}, 'DELETE');
    const cleared = await network.venue.orderStatus(crypto.randomUUID());

    expect([after.kind, lookup.kind, cleared.kind]).to.deep.equal(['accepted', 'unreadable', 'absent']);
  });

  it('affect the same calls in every run with the same seed', async () => {
    const run = async () => {
      network.upstream.faults.clear();
      network.upstream.faults.add({ kind: 'reject', rate: 0.5, seed: 7 });
      const responses = [];
      for (let count = 0; count < 20; count += 1)
        responses.push(await network.venue.submit(order({ trade_pair: 'none' })));
      return responses.map((response) => response.kind === 'rejected' && response.slug);
    };

    const [first, second] = [await run(), await run()];

    expect(first).to.deep.equal(second);
    expect(new Set(first).size).to.equal(2);
  });

  for (const [leverage, response, done] of [
    [0.0404, { kind: 'rejected', slug: 'no_live_prices' }, 0],
    [0.0429, { kind: 'rejected', slug: 'cooldown' }, 0],
    [0.0502, { kind: 'unknown' }, 1],
    [0.0503, { kind: 'unknown' }, 1],
  ] as const) {
    it(`magic leverage ${leverage} gives ${response.kind} with ${done} effect`, async () => {
      expect(magicLeverages.map((magic) => magic.leverage)).to.include(leverage);

      expect(await network.venue.submit(order({ leverage }))).to.include(response);
      expect(effects(network)).to.have.length(done);
    });
  }

  it('leave a failed record of an executed order', async () => {
    const signal = order({ leverage: 0.0503 });
    await network.venue.submit(signal);

    expect(await network.venue.orderStatus(signal.order_uuid)).to.nested.include({
      'data.status': 'failed',
      'data.said': null,
    });
    expect(await openPositions(network)).to.have.nested.property('[0].uuid', signal.order_uuid);
  });
});
