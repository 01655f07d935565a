import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { openStage, type Stage } from './stage.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'ETH', side: 'long', size: '0.1', order_type: 'limit', price: 2_500 };
/** The lease of a place, a turn, and the start of a connection. */
const TAKEN_OVER_MS = 8_000;

describe('the process that follows the stream of the exchange', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await openStage({ settings: { EXVENUE_STREAM: 'true' } });
  });
  after(() => stage.close());

  it('is one of all, and another one follows when it is killed', async () => {
    const [wallet] = await stage.wallets(1);
    if (!wallet) throw new Error('There is one');
    await wallet.post(ORDERS, LIMIT);
    const users = () => stage.exchange.stream.users();
    const isFollowed = (withinMs: number) =>
      until('the wallet is followed', async () => users().includes(wallet.wallet) || null, withinMs);
    await isFollowed(20_000);
    const [first] = stage.workers;
    await stage.startWorker();

    first?.kill('SIGKILL');
    await first?.exited;
    await until('nobody follows', async () => users().length === 0 || null, 5_000);
    await isFollowed(TAKEN_OVER_MS);
    stage.exchange.setMid('ETH', '2450');

    const told = () =>
      stage.rows(`select from events where type = 'position.updated' and strpos(data, '${wallet.wallet}') > 0`);
    await until('the fill is told', async () => (await told()).length > 0 || null, 5_000);
    expect(users()).to.deep.equal([wallet.wallet]);
  });
});
