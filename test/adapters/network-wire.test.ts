import { expect } from 'chai';
import nock from 'nock';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';
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

  it('is unreachable when the connection is refused', async () => {
    miner().replyWithError(broken('ECONNREFUSED'));

    expect(await venue.submit(signal)).to.deep.equal({ kind: 'unreachable', why: 'ECONNREFUSED' });
  });

  it('is unreachable when the name is unknown', async () => {
    miner().replyWithError(broken('ENOTFOUND'));

    expect(await venue.submit(signal)).to.include({ kind: 'unreachable' });
  });

  for (const code of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UNHEARD_OF']) {
    it(`is in doubt after ${code}, and reveals neither the address nor the key`, async () => {
      miner().replyWithError(broken(code));

      expect(await venue.submit(signal)).to.deep.equal({ kind: 'unknown', why: code });
    });
  }

  it('is in doubt when the miner exceeds its timeout', async () => {
    miner().delay(500).reply(200, {});

    expect(await venue.submit(signal, { timeoutMs: 50 })).to.include({ kind: 'unknown' });
  });

  it('is in doubt when aborted after sending', async () => {
    miner().delay(500).reply(200, {});

    expect(await venue.submit(signal, { signal: AbortSignal.timeout(50) })).to.include({ kind: 'unknown' });
  });

  it('returns the same result kinds for creations and reads', async () => {
    nock('http://miner.test').post('/api/create-subaccount').replyWithError(broken('ECONNREFUSED'));
    nock('http://miner.test').post('/api/create-subaccount').replyWithError(broken('ECONNRESET'));
    nock('http://miner.test').get('/entity/5Entity').replyWithError(broken('ECONNREFUSED'));
    const request = { assetClass: 'crypto', accountSize: 1000 };

    expect(await venue.createSubaccount(request)).to.include({ kind: 'unreachable' });
    expect(await venue.createSubaccount(request)).to.include({ kind: 'unknown' });
    expect(await venue.listSubaccounts()).to.deep.equal({ kind: 'unreadable', why: 'ECONNREFUSED' });
  });

  for (const name of ['../../etc/passwd', `${UUID}/..`, `../${UUID}`, '', 'ALL', `${UUID}%2f..`, `${UUID}-bracket-x`]) {
    it(`rejects a file name: “${name}”`, async () => {
      expect(await venue.orderStatus(name)).to.include({ kind: 'unreadable' });
      expect(await venue.submit({ ...signal, order_uuid: name })).to.include({ kind: 'rejected', slug: 'bad_request' });
    });
  }

  for (const hotkey of ['../entities', '5Entity_1/..', '5Entity', '5Entity_1?x=1']) {
    it(`rejects a path as a hotkey: “${hotkey}”`, async () => {
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
    it(`accepts “${order_uuid}” as a name for ${execution_type}`, async () => {
      const named = execution_type === 'LIMIT_EDIT' ? order_uuid : UUID; // lists and ALL are echoed in different ways
      miner().reply(200, { success: true, order_uuid: named, order_json: null, error_message: '', processing_time: 0 });

      expect(await venue.submit({ ...signal, execution_type, order_uuid })).to.include({ kind: 'accepted' });
    });
  }
});
