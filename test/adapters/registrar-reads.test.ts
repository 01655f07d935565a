import { expect } from 'chai';
import nock from 'nock';
import { registrar } from '../../src/adapters/registrar/index.ts';
import { alone } from '../support/alone.ts';

const BASE = 'http://registrar.test';
const WALLET = `0x${'a'.repeat(40)}`;
const upstream = registrar({
  url: BASE,
  chainUrl: 'http://chain.test',
  network: 'eip155:8453',
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
});

describe('reading from the registrar', () => {
  alone();

  it('lists tiers by position, in both spellings', async () => {
    const tiers = [{ account_size: 5_000, cost: '49.00' }];
    nock(BASE)
      .get('/api/entity')
      .reply(200, [{ slug: 'other' }, { slug: 'vanta', pricing_tiers: tiers }]);
    const newer = await upstream.tiers('vanta');
    nock(BASE).get('/api/entity').reply(404, '');
    nock(BASE)
      .get('/api/v1/miners')
      .reply(200, [
        {
          slug: 'vanta',
          tiers: [
            { accountSize: 5_000, priceUsdc: 49 },
            { accountSize: 9, priceUsdc: '1' },
          ],
        },
      ]);
    const older = await upstream.tiers('vanta');

    expect(newer).to.deep.equal({ kind: 'found', data: [{ index: 0, accountSize: 5_000, priceUsdc: '49.00' }] });
    expect(older).to.have.nested.property('data[1].index', 1);
  });

  it('reports an unknown miner as unknown, and a failure as unreadable', async () => {
    nock(BASE).get('/api/entity').reply(200, []).get('/api/entity').reply(500, '');

    expect(await upstream.tiers('vanta')).to.deep.equal({ kind: 'absent' });
    expect((await upstream.tiers('vanta')).kind).to.equal('unreadable');
  });

  it('takes a miner without a list of tiers for unreadable, not for one that offers none', async () => {
    nock(BASE)
      .get('/api/entity')
      .reply(200, [{ slug: 'vanta' }]);

    expect((await upstream.tiers('vanta')).kind).to.equal('unreadable');
  });

  it('takes the status of another address for none', async () => {
    const path = `/api/registration-status?hl_address=${WALLET}`;
    nock(BASE)
      .get(path)
      .reply(200, { status: 'active', hl_address: `0x${'b'.repeat(40)}` });

    expect((await upstream.status(WALLET)).kind).to.equal('unreadable');
  });

  it('reads the status of an address', async () => {
    const path = `/api/registration-status?hl_address=${WALLET}`;
    nock(BASE)
      .get(path)
      .reply(200, { status: 'active' })
      .get(path)
      .reply(200, { status: 'not_found' })
      .get(path)
      .reply(502, {});

    expect(await upstream.status(WALLET)).to.deep.equal({
      kind: 'found',
      data: { status: 'active', message: null, estimatedTime: null },
    });
    expect(await upstream.status(WALLET)).to.deep.equal({ kind: 'absent' });
    expect((await upstream.status(WALLET)).kind).to.equal('unreadable');
  });
});
