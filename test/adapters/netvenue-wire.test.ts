import { expect } from 'chai';
import nock from 'nock';
import { netvenue } from '../../src/adapters/netvenue/index.ts';
import type { Signal } from '../../src/adapters/netvenue/types.ts';
import { alone } from '../support/alone.ts';

const UUID = '0190a1b2-0000-7000-8000-000000000001';
const signal: Signal = { order_uuid: UUID, subaccount_id: 3, execution_type: 'MARKET', order_type: 'FLAT' };
const venue = netvenue({
  minerUrl: 'http://miner.test',
  minerKey: 'miner-key',
  validatorUrl: 'http://miner.test',
  validatorKey: 'validator-key',
  entityHotkey: '5Entity',
});
const miner = () => nock('http://miner.test').post('/api/submit-order');
const broken = (code: string) => Object.assign(new Error('miner.test 10.0.0.1 miner-key'), { code });

describe('the wire to the network', () => {
  alone();

  it('is unreachable where the connection is refused', async () => {
    miner().replyWithError(broken('ECONNREFUSED'));

    expect(await venue.submit(signal)).to.deep.equal({ kind: 'unreachable', why: 'ECONNREFUSED' });
  });

  it('is unreachable where the name is unknown', async () => {
    miner().replyWithError(broken('ENOTFOUND'));

    expect(await venue.submit(signal)).to.include({ kind: 'unreachable' });
  });

  for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UNHEARD_OF']) {
    it(`is in doubt after ${code}, without a word of the address or the key`, async () => {
      miner().replyWithError(broken(code));

      expect(await venue.submit(signal)).to.deep.equal({ kind: 'in_doubt', why: code });
    });
  }

  it('is in doubt when the miner is silent for longer than it may be', async () => {
    miner().delay(500).reply(200, {});

    expect(await venue.submit(signal, { timeoutMs: 50 })).to.include({ kind: 'in_doubt' });
  });

  it('is in doubt when given up after sending', async () => {
    miner().delay(500).reply(200, {});

    expect(await venue.submit(signal, { signal: AbortSignal.timeout(50) })).to.include({ kind: 'in_doubt' });
  });

  it('gives creations and reads the same kinds', async () => {
    nock('http://miner.test').post('/api/create-subaccount').replyWithError(broken('ECONNREFUSED'));
    nock('http://miner.test').post('/api/create-subaccount').replyWithError(broken('ECONNRESET'));
    nock('http://miner.test').get('/entity/5Entity').replyWithError(broken('ECONNREFUSED'));
    const asked = { assetClass: 'crypto', accountSize: 1000 };

    expect(await venue.createSubaccount(asked)).to.include({ kind: 'unreachable' });
    expect(await venue.createSubaccount(asked)).to.include({ kind: 'in_doubt' });
    expect(await venue.listSubaccounts()).to.deep.equal({ kind: 'unreadable', why: 'ECONNREFUSED' });
  });

  for (const name of ['../../etc/passwd', `${UUID}/..`, `../${UUID}`, '', 'ALL', `${UUID}%2f..`, `${UUID}-bracket-x`]) {
    it(`never lets a name of a file through: “${name}”`, async () => {
      expect(await venue.orderStatus(name)).to.include({ kind: 'unreadable' });
      expect(await venue.submit({ ...signal, order_uuid: name })).to.include({ kind: 'rejected', slug: 'bad_request' });
    });
  }

  for (const hotkey of ['../entities', '5Entity_1/..', '5Entity', '5Entity_1?x=1']) {
    it(`never lets a path through as a hotkey: “${hotkey}”`, async () => {
      expect(await venue.dashboard(hotkey)).to.include({ kind: 'unreadable' });
      expect(await venue.orders(hotkey)).to.include({ kind: 'unreadable' });
    });
  }

  for (const [execution_type, order_uuid] of [
    ['LIMIT_CANCEL', 'ALL'],
    ['LIMIT_CANCEL', `${UUID},${UUID}-bracket-0`],
    ['LIMIT_EDIT', `${UUID}-bracket-0`],
    ['FLAT_ALL', 'ALL'],
  ] as const) {
    it(`lets ${execution_type} name “${order_uuid}”`, async () => {
      miner().reply(200, { success: true, order_uuid: UUID, order_json: null, error_message: '', processing_time: 0 });

      expect(await venue.submit({ ...signal, execution_type, order_uuid })).to.include({ kind: 'accepted' });
    });
  }
});
