import { expect } from 'chai';
import { magicLeverages } from '../../src/sandbox/netvenue/index.ts';
import { closeNetwork, control, effects, type Network, openNetwork, openPositions, order, take } from './netvenue.ts';

describe('one uuid, one order', () => {
  let network: Network;

  beforeEach(async () => {
    network = await openNetwork({ processingMs: 150 });
  });

  afterEach(() => closeNetwork(network));

  it('refuses a repeat without the first result, even while the first is in flight', async () => {
    const signal = order();

    const answers = await Promise.all([network.venue.submit(signal), network.venue.submit(signal)]);
    const later = await network.venue.submit(signal);

    expect(answers.map(({ kind }) => kind)).to.have.members(['accepted', 'in_doubt']);
    expect(later).to.include({ kind: 'in_doubt' });
    expect(effects(network)).to.deep.equal(['market']);
  });

  it('keeps a refused uuid at the miner', async () => {
    const signal = order({ value: 5 });
    await network.venue.submit(signal);

    expect(await network.venue.submit({ ...signal, value: 500 })).to.include({ kind: 'in_doubt' });
    expect(effects(network)).to.deep.equal([]);
  });

  it('is held by the validator when the miner forgot', async () => {
    const signal = order();
    await take(network, signal);
    await control(network, 'restart-miner', {});

    expect(await network.venue.submit(signal)).to.include({ kind: 'in_doubt' });
    expect(effects(network)).to.deep.equal(['market']);
  });

  it('is not sent at all past its last moment', async () => {
    const late = await network.venue.submit(order(), { notAfter: Date.now() - 1 });

    expect(late).to.deep.equal({ kind: 'unreachable', why: 'TOO_LATE' });
    expect(effects(network)).to.deep.equal([]);
  });

  it('is absent from the archive in flight, completed after, and overwritten by a cancel', async () => {
    const signal = order({ execution_type: 'LIMIT', limit_price: 90_000 });
    const sent = network.venue.submit(signal);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const inFlight = await network.venue.orderStatus(signal.order_uuid);
    await sent;
    const done = await network.venue.orderStatus(signal.order_uuid);
    await take(network, order({ execution_type: 'LIMIT_CANCEL', order_uuid: signal.order_uuid }));
    const cancelled = await network.venue.orderStatus(signal.order_uuid);

    expect(inFlight).to.deep.equal({ kind: 'absent' });
    expect(done).to.nested.include({ 'said.status': 'completed', 'said.executionType': 'LIMIT' });
    expect(cancelled).to.nested.include({ 'said.status': 'completed', 'said.executionType': 'LIMIT_CANCEL' });
  });
});

describe('scripted faults of the network party', () => {
  let network: Network;

  const struck = async (fault: object) => {
    await control(network, 'faults', { route: 'submit-order', times: 1, ...fault });
    const signal = order();
    const answer = await network.venue.submit(signal, { timeoutMs: 200 });
    return { answer, done: effects(network).length, positions: (await openPositions(network)).length };
  };

  beforeEach(async () => {
    network = await openNetwork();
  });

  afterEach(() => closeNetwork(network));

  for (const [kind, answer, done] of [
    ['accept_then_drop', 'in_doubt', 1],
    ['status_500', 'in_doubt', 0],
    ['reset', 'in_doubt', 0],
    ['hang', 'in_doubt', 0],
    ['html_200', 'in_doubt', 0],
    ['cut_json', 'in_doubt', 1],
    ['refuse', 'rejected', 0],
  ] as const) {
    it(`${kind}: the caller sees ${answer}, the ledger holds ${done}`, async () => {
      const outcome = await struck({ kind });

      expect(outcome.answer.kind).to.equal(answer);
      expect(outcome).to.include({ done, positions: done });
    });
  }

  it('late: in doubt for who waits too little, accepted for who waits', async () => {
    const impatient = await struck({ kind: 'late', delayMs: 400 });
    const patient = await struck({ kind: 'late', delayMs: 20 });

    expect([impatient.answer.kind, patient.answer.kind]).to.deep.equal(['in_doubt', 'accepted']);
    expect(patient.done).to.equal(2);
  });

  it('strike only the named route, so many times, until cleared', async () => {
    network.party.faults.add({ kind: 'reset', route: 'order-status' });
    await struck({ kind: 'reset', times: 1 });
    const after = await network.venue.submit(order());
    const lookup = await network.venue.orderStatus(crypto.randomUUID());
    await control(network, 'faults', {}, 'DELETE');
    const cleared = await network.venue.orderStatus(crypto.randomUUID());

    expect([after.kind, lookup.kind, cleared.kind]).to.deep.equal(['accepted', 'unreadable', 'absent']);
  });

  it('strike the same calls in every run with the same seed', async () => {
    const run = async () => {
      network.party.faults.clear();
      network.party.faults.add({ kind: 'refuse', rate: 0.5, seed: 7 });
      const answers = [];
      for (let count = 0; count < 20; count += 1)
        answers.push(await network.venue.submit(order({ trade_pair: 'none' })));
      return answers.map((answer) => answer.kind === 'rejected' && answer.slug);
    };

    const [first, second] = [await run(), await run()];

    expect(first).to.deep.equal(second);
    expect(new Set(first).size).to.equal(2);
  });

  for (const [leverage, answer, done] of [
    [0.0404, { kind: 'rejected', slug: 'no_live_prices' }, 0],
    [0.0429, { kind: 'rejected', slug: 'cooldown' }, 0],
    [0.0502, { kind: 'in_doubt' }, 1],
    [0.0503, { kind: 'in_doubt' }, 1],
  ] as const) {
    it(`magic leverage ${leverage} gives ${answer.kind} with ${done} effect`, async () => {
      expect(magicLeverages.map((magic) => magic.leverage)).to.include(leverage);

      expect(await network.venue.submit(order({ leverage }))).to.include(answer);
      expect(effects(network)).to.have.length(done);
    });
  }

  it('leaves a failed record behind an order that was executed', async () => {
    const signal = order({ leverage: 0.0503 });
    await network.venue.submit(signal);

    expect(await network.venue.orderStatus(signal.order_uuid)).to.nested.include({
      'said.status': 'failed',
      'said.refused': null,
    });
    expect(await openPositions(network)).to.have.nested.property('[0].uuid', signal.order_uuid);
  });
});
