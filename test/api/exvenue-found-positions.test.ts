import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Action } from '../../src/venues/exchange/adapter/action-types.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

/** A position of the owner's own software, which no execution of the ledger explains. */
describe('a position that is open when its wallet is enrolled', function () {
  this.timeout(60_000);
  let proxy: VenueProxy;
  let areShown = true;
  let service: TestService;
  before(async () => {
    proxy = await startProxy(async ({ type }, forward) => {
      if (type === 'userFillsByTime') return jsonReply([]); // of before the enrollment
      return type === 'clearinghouseState' && !areShown ? jsonReply(null) : forward();
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
    service.exchange.setMid('BTC', '100000');
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  it('has its funding reported although accounts could not be read at first', async () => {
    const privateKey = generatePrivateKey();
    const order = {
      asset: 1,
      side: 'buy',
      size: '0.02',
      price: '150000',
      reduceOnly: false,
      timeInForce: 'ioc',
    } as const;
    const action: Action = { kind: 'place', orders: [order], grouping: 'none' };
    const venue = exchangeOf(service);
    const body = await venue.signerOf(privateKey)?.sign(action, { nonce: Date.now() });
    expect((await venue.post(String(body), { firstSend: true })).kind).to.equal('accepted');
    const [partner, wallet] = [await service.partner(), privateKeyToAddress(privateKey).toLowerCase()];

    areShown = false;
    await partner.post('/v1/sessions', { ex_wallet: wallet, private_key: privateKey });
    await readWallets(service);
    areShown = true;
    await readWallets(service);
    service.exchange.payFunding('BTC', '0.0000125');
    await service.db.query(sql.unsafe`
      update exchange_cursors set funding_read_to = now() - interval '2 hours' where ex_wallet = ${wallet}`);
    await readWallets(service);

    const { body: events } = await partner.get('/v1/events?type=funding.settled');
    expect(events.map(({ data }: { data: object }) => data)).to.have.length(1);
    expect(events[0].data).to.include({ trader_id: wallet, pair: 'BTC-USDC', side: 'long', size: '0.02' });
  });
});
