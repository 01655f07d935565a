import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openLedger } from '../../src/sandbox/ledger.ts';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import {
  closeNetwork,
  control,
  dashboardOf,
  effects,
  type Network,
  openNetwork,
  openPositions,
  order,
  take,
} from './network.ts';

const ADDRESS = `0x${'ab'.repeat(20)}`;

describe('subaccounts of the sandbox network', () => {
  let network: Network;

  beforeEach(async () => {
    network = await openNetwork({ activationMs: 300 });
  });

  afterEach(() => closeNetwork(network));

  it('count up from 0, are pending at first, and accept orders once active', async () => {
    const response = await network.venue.createSubaccount({ assetClass: 'crypto', accountSize: 5_000 });
    const early = await network.venue.submit(order({ subaccount_id: 1 }));
    await new Promise((resolve) => setTimeout(resolve, 320));
    const later = await network.venue.submit(order({ subaccount_id: 1 }));

    expect(response).to.nested.include({
      'data.subaccountId': 1,
      'data.syntheticHotkey': '5Entity_1',
      'data.status': 'pending',
    });
    expect(early).to.include({ kind: 'rejected', slug: 'subaccount_not_ready' });
    expect(later.kind).to.equal('accepted');
    expect(await dashboardOf(network, 1)).to.include({
      status: 'active',
      bucket: 'SUBACCOUNT_CHALLENGE',
      accountSize: 5_000,
    });
  });

  it('are listed, whether created in doubt or not, and recorded once each', async () => {
    network.upstream.faults.add({ kind: 'accept_then_drop', route: 'create-subaccount', times: 1 });

    const inDoubt = await network.venue.createSubaccount({ assetClass: 'forex', accountSize: 25_000 });
    const listed = await network.venue.listSubaccounts();

    expect(inDoubt.kind).to.equal('unknown');
    expect(listed).to.nested.include({ 'data[1].assetClass': 'forex', 'data[1].accountSize': 25_000 });
    expect(network.upstream.ledger.entries().filter(({ kind }) => kind === 'subaccount')).to.have.length(2);
  });

  it('are unique per address, and found by it without a key', async () => {
    const linked = { exAddress: ADDRESS.toUpperCase().replace('0X', '0x'), accountSize: 10_000 };

    const first = await network.venue.createSubaccount(linked);
    const second = await network.venue.createSubaccount(linked);
    const found = await fetch(`${network.upstream.validatorUrl}/hl-traders/${ADDRESS}`);

    expect(first).to.nested.include({ 'data.assetClass': 'hl_all', 'data.exAddress': ADDRESS });
    expect(second).to.include({ kind: 'rejected', slug: 'already_registered' });
    expect(found.status).to.equal(200);
  });

  for (const [what, request, slug] of [
    ['more than the maximum', { assetClass: 'crypto', accountSize: 100_001 }, 'size_over_max'],
    ['an unknown class', { assetClass: 'stamps', accountSize: 10 }, 'bad_request'],
    ['no size', { assetClass: 'crypto', accountSize: 0 }, 'bad_request'],
    ['a malformed address', { exAddress: '0x12', accountSize: 10 }, 'bad_request'],
  ] as const) {
    it(`reject ${what}`, async () => {
      expect(await network.venue.createSubaccount(request)).to.include({ kind: 'rejected', slug });
    });
  }

  it('are changed by session; an elimination closes everything permanently', async () => {
    await control(network, 'subaccount', { subaccount_id: 0, status: 'active', bucket: 'SUBACCOUNT_FUNDED' });
    const funded = await dashboardOf(network);
    await take(network, order({ stop_loss: 90_000 }));
    await control(network, 'subaccount', { subaccount_id: 0, elimination: 'MAX_TOTAL_DRAWDOWN' });
    const eliminated = await dashboardOf(network);

    expect(funded.bucket).to.equal('SUBACCOUNT_FUNDED');
    expect(eliminated).to.deep.include({ status: 'eliminated', openOrders: [] });
    expect(eliminated.elimination).to.include({ reason: 'MAX_TOTAL_DRAWDOWN' });
    expect(await openPositions(network)).to.deep.equal([]);
    expect(await network.venue.submit(order())).to.include({ kind: 'rejected', slug: 'eliminated' });
  });

  it('are hidden from callers without the key', async () => {
    const { minerUrl, validatorUrl } = network.upstream;
    const outsider = netvenue({ minerUrl, validatorUrl, minerKey: 'x', validatorKey: 'x', entityHotkey: '5Entity' });

    expect(await outsider.submit(order())).to.include({ kind: 'rejected', slug: 'venue_auth' });
    expect(await outsider.listSubaccounts()).to.deep.equal({ kind: 'unreadable', why: 'venue_auth' });
    expect(await outsider.tradePairs()).to.include({ kind: 'found' });
  });

  it('are absent when there are none', async () => {
    expect(await network.venue.dashboard('5Entity_77')).to.deep.equal({ kind: 'absent' });
    expect(await network.venue.dashboard('5Other_0')).to.deep.equal({ kind: 'absent' });
  });
});

describe('the ledger of the sandbox network', () => {
  it('is written before the response, outlives the process, and continues its count', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
    const ledgerFile = join(folder, 'netvenue.jsonl');
    const network = await openNetwork({ ledgerFile });
    const signal = order();
    await take(network, signal);
    const lines = readFileSync(ledgerFile, 'utf8').trim().split('\n');
    const listed = await (await fetch(`${network.upstream.controlUrl}/ledger?after=1`)).json();
    await closeNetwork(network);

    const reopened = openLedger('netvenue', ledgerFile);
    const next = reopened.record({ key: 'another', kind: 'market', detail: {} });
    rmSync(folder, { recursive: true });

    expect(lines.map((line) => JSON.parse(line).key)).to.include(signal.order_uuid);
    expect(listed).to.deep.equal([JSON.parse(lines[1] ?? '')]);
    expect(next.seq).to.equal(3);
    expect(reopened.entries()[1]).to.include({ key: signal.order_uuid });
  });

  it('stays exact under many concurrent orders over many subaccounts', async () => {
    const network = await openNetwork();
    const ids = network.upstream.addSubaccounts(200);
    network.upstream.faults.add({ kind: 'accept_then_drop', rate: 0.2, seed: 3, route: 'submit-order' });
    const signals = ids.flatMap((subaccount_id) =>
      ['BTCUSDC', 'ETHUSDC'].map((trade_pair) => order({ subaccount_id, trade_pair })),
    );

    const responses = await Promise.all(signals.map((signal) => network.venue.submit(signal)));
    const keys = network.upstream.ledger
      .entries()
      .filter(({ kind }) => kind === 'market')
      .map(({ key }) => key);
    await closeNetwork(network);

    expect(new Set(responses.map(({ kind }) => kind))).to.deep.equal(new Set(['accepted', 'unknown']));
    expect(keys.toSorted()).to.deep.equal(signals.map(({ order_uuid }) => order_uuid).toSorted());
    expect(effects(network)).to.have.length(signals.length);
  });
});
