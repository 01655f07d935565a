import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { readConfig } from '../../src/config.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { type ExvenueUpstream, startExvenueUpstream } from '../../src/sandbox/exchange/index.ts';
import { caller } from '../support/caller.ts';
import { logLines, startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const RESTING = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

/** As a process does whose EXVENUE_NETWORK is that of another deployment: what it signs is read as somebody else's. */
describe('a worker that signs for the other network', () => {
  let exchange: ExvenueUpstream;
  let service: TestService;
  before(async () => {
    exchange = await startExvenueUpstream({ network: 'testnet' });
    service = await startService({ worker: false, settings: { EXVENUE_URL: exchange.url } });
  });
  after(async () => {
    await service.stop();
    await exchange.close();
  });

  /** Else a process of another network does not start. */
  const forgetNetworks = () => service.db.query(sql.unsafe`delete from own_networks`);

  it('does not invalidate the keys that it signs with: after the correction the same enrollment trades', async () => {
    const [wallet, key] = [privateKeyToAddress(generatePrivateKey()).toLowerCase(), generatePrivateKey()];
    exchange.fund(wallet, '100000');
    exchange.approveAgent(wallet, privateKeyToAddress(key).toLowerCase(), 'desk');
    const partner = await service.partner();
    const trader = caller(service.url, partner.key, { 'Trader-ID': wallet });
    const enrolled = await partner.post('/v1/sessions', { ex_wallet: wallet, private_key: key });
    await forgetNetworks();
    const wrong = await startWorker(readConfig({ ...service.settings, EXVENUE_NETWORK: 'mainnet' }), logLines().logger);

    const rejected = await trader.post(ORDERS, RESTING);
    await wrong.stop();
    const session = await partner.get(`/v1/sessions/${wallet}`);
    await forgetNetworks();
    await service.startWorker();
    const placed = await trader.post(ORDERS, RESTING);

    expect(enrolled.body).to.include({ verified: true, is_agent: true });
    expect([rejected.status, rejected.body.error?.reason, rejected.body.error?.effect]).to.deep.equal([
      422,
      'bad_signature',
      'none',
    ]);
    expect(session.body).to.include({ verified: true, status: 'enrolled' });
    expect([placed.status, placed.body.status]).to.deep.equal([200, 'open']);
  });
});
