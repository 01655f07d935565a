import { expect } from 'chai';
import { newIntentId } from '../../src/kernel/ids.ts';
import type { Reply } from '../support/caller.ts';
import { effectsUnder, limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const THREADS = 4;
const CALLERS = 10;
const LATER = { prefer: 'wait=0' };
const small = { leverage: 0.001 };

type Trader = Awaited<ReturnType<TestService['trader']>>;

/** For a lane that is too long, and for a miner with more lanes than it can serve. */
const isRejection = ({ status }: Reply) => status === 429 || status === 503;
const codeOf = ({ status }: Reply) => (status === 429 ? 'RATE_LIMITED' : 'SERVICE_UNAVAILABLE');

describe('more orders than the miner can carry out', () => {
  let service: TestService;
  let trader: Trader;
  let resting: string;
  const known = market({ order_uuid: newIntentId(), ...small });
  const keyed = { key: 'before-the-flood' };
  let first: Reply[];
  const replies: { by: Trader; reply: Reply }[] = [];
  let isOver = false;
  let flood: Promise<unknown>;
  before(async () => {
    service = await startService({
      upstream: { processingMs: 100, threads: THREADS },
      settings: {
        NETVENUE_MINER_THREADS: String(THREADS),
        NETVENUE_EXIT_SLOTS: '0',
        ORDER_DEADLINE_MS: '4000',
        NETVENUE_PATIENCE_MS: '5000',
      },
    });
    trader = await service.trader();
    resting = (await trader.post(ORDERS, limit())).body.order_uuid;
    first = [await trader.post(ORDERS, known), await trader.post(ORDERS, market(small), keyed)];
    flood = Promise.all(Array.from({ length: CALLERS }, order));
    await until('an order is rejected', async () => replies.some(({ reply }) => isRejection(reply)) || null);
  });
  after(async () => {
    isOver = true;
    await flood;
    await service.stop();
  });

  /** One order after the other, each without a wait for its outcome. */
  async function order(): Promise<void> {
    const by = await service.trader();
    while (!isOver) replies.push({ by, reply: await by.post(ORDERS, market(small), LATER) });
  }

  /** A rejection; now and then the line is just short enough for an order. */
  async function rejection(body: () => object, extra: () => { key?: string } = () => ({})): Promise<Reply> {
    for (;;) {
      const reply = await trader.post(ORDERS, body(), { ...LATER, ...extra() });
      if (isRejection(reply)) return reply;
      replies.push({ by: trader, reply });
    }
  }

  it('are rejected at once: without effect, with the time to come again', async () => {
    const reply = await rejection(() => market(small));

    expectProblem(reply, codeOf(reply), { effect: 'none', retryable: true });
    expect(Number(reply.headers['retry-after'])).to.be.within(1, 4);
    expect(reply.headers).not.to.have.property('intent-id');
  });

  it('leave the way free for what was accepted before, what closes, and what takes back', async () => {
    const replies = await Promise.all([
      trader.post(ORDERS, known),
      trader.post(ORDERS, market(small), keyed),
      trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' }, LATER),
      trader.post(ORDERS, { trade_pair: 'BTCUSDC', order_type: 'FLAT' }, LATER),
      trader.delete(`${ORDERS}/${resting}?trade_pair=BTCUSDC`, LATER),
    ]);

    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 202, 202, 202]);
    expect(replies.slice(0, 2).map(({ body }) => body.order_uuid)).to.deep.equal(
      first.map(({ body }) => body.order_uuid),
    );
  });

  it('are not denied when the caller chose their id or key: an earlier request may be on its way', async () => {
    const tried: string[] = [];
    const byCallersId = () => {
      tried.push(newIntentId());
      return market({ order_uuid: tried.at(-1), ...small });
    };
    const byKeys = () => ({ key: newIntentId() });

    const [byId, byKey] = [await rejection(byCallersId), await rejection(() => market(small), byKeys)];

    for (const reply of [byId, byKey]) expectProblem(reply, codeOf(reply), { effect: 'unknown' });
    expect((await trader.get(`${ORDERS}/${tried.at(-1)}`)).status).to.equal(404);
  });

  it('are accepted again once the line is shorter; of those accepted none is lost or doubled', async () => {
    isOver = true;
    await flood;
    await until('an order is accepted', async () => {
      const reply = await trader.post(ORDERS, market(small), LATER);
      replies.push({ by: trader, reply });
      return reply.status === 202 || null;
    });

    const accepted = replies.filter(({ reply }) => reply.status === 202);
    const ended = await Promise.all(accepted.map(({ by, reply }) => by.poll(reply, 20_000)));

    expect(ended.filter(({ status }) => status === 'completed')).to.have.length.above(accepted.length / 2);
    for (const [n, { status }] of ended.entries()) {
      const intentId = String(accepted[n]?.reply.headers['intent-id']); // the network's uuid, also where the caller chose its own
      expect(effectsUnder(service, intentId)).to.have.length(status === 'completed' ? 1 : 0);
    }
  });
});
