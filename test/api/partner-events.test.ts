import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type Caller, caller } from '../support/caller.ts';
import { eventually } from '../support/money.ts';
import { limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Reader, readStream } from '../support/stream.ts';
import { faultOf } from '../support/stream-schemas.ts';

const NETVENUE = '/v1/orders/netvenue';
const EXVENUE = '/v1/orders/exvenue';

type Logged = { id: string; type: string; data: Record<string, unknown> };

describe('events of a partner', function () {
  this.timeout(30_000);
  let service: TestService;
  const readers: Reader[] = [];
  before(async () => {
    service = await startService({ settings: { STREAM_HEARTBEAT_MS: '250' } });
  });
  after(() => service.stop());
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.drop();
  });

  const logOf = async (partner: Caller, query = ''): Promise<Logged[]> =>
    (await partner.get(`/v1/events${query}`)).body;
  const keyOf = (partner: Caller) => caller(service.url, partner.key);
  const open = async (partner: Caller, headers: Record<string, string> = {}) => {
    const credentials = { Authorization: `Bearer ${partner.key}`, ...headers };
    const reader = await readStream(`${service.url}/v1/stream`, credentials);
    readers.push(reader);
    return reader;
  };
  const ofOrders = (events: Logged[]) =>
    events
      .filter(({ type }) => type === 'order.updated')
      .map(({ data }) => [data.action, data.status, data.lifecycle, data.position_changed]);

  it('are not streamed to who asks with HEAD: the connection ends, and no slot is taken', async () => {
    const partner = await service.partner();
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(`HEAD /v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${partner.key}\r\n\r\n`);

    const response = await text(socket); // until the service closes the connection

    expect(response).to.match(/^HTTP\/1.1 200 OK\r\n[\s\S]*text\/event-stream[\s\S]*\r\n\r\n$/);
    await eventually(async () => service.runtime.streamLimit.count() === 0);
  });

  it('report the verbs of its orders at the network, one event each, and its subaccount', async () => {
    const trader = await service.trader();
    const placed = await trader.post(NETVENUE, market());
    const rests = await trader.post(NETVENUE, limit({ trade_pair: 'ETHUSDC', limit_price: 1_000 }));
    await trader.delete(`${NETVENUE}/${rests.body.order_uuid}?trade_pair=ETHUSDC`);
    await trader.post(NETVENUE, market({ leverage: 0.0404 }));
    await trader.post(`${NETVENUE}/close`, { trade_pair: 'BTCUSDC' });

    const events = await logOf(trader);

    expect(ofOrders(events)).to.deep.equal([
      ['place', 'completed', 'filled', true],
      ['place', 'completed', 'resting', false],
      ['cancel', 'completed', 'cancelled', false],
      ['place', 'failed', null, false],
      ['close', 'completed', null, true],
    ]);
    const [made, first] = events;
    expect(made).to.deep.include({ type: 'subaccount.updated' });
    expect(made?.data).to.include({ subaccount_id: Number(trader.traderId), account_size: 10_000 });
    expect(first?.data).to.deep.include({
      order_uuid: placed.body.order_uuid,
      trader_id: trader.traderId,
      venue: 'netvenue',
      executed: placed.body.executed,
    });
    expect(events.at(-2)?.data).to.include({ code: 'VENUE_REJECTED' });
    for (const event of events) expect(faultOf(event.type, event), JSON.stringify(event)).to.equal(null);
  });

  it('report a resting order that the venue filled, once that is known', async () => {
    const trader = await service.trader();
    const rests = await trader.post(NETVENUE, limit({ trade_pair: 'SOLUSDC', limit_price: 190, quantity: 5 }));
    service.miner.setPrice('SOLUSDC', 189);
    await trader.get(`${NETVENUE}/${rests.body.order_uuid}`);
    service.miner.setPrice('SOLUSDC', 200);

    const events = await logOf(trader);

    expect(ofOrders(events).at(-1)).to.deep.equal(['lifecycle', 'completed', 'filled', true]);
    expect(events.at(-1)?.data).to.include({ order_uuid: rests.body.order_uuid, intent_id: null });
    expect(faultOf('order.updated', events.at(-1))).to.equal(null);
  });

  it('report its enrollments and its orders at the exchange', async () => {
    const trader = await service.wallet();
    await trader.post(EXVENUE, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' });
    await trader.post(EXVENUE, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: '50000' });
    await trader.delete(EXVENUE);
    await trader.post(`${EXVENUE}/close`, { pair: 'BTC' });
    await trader.delete(`/v1/sessions/${trader.wallet}`);

    const events = await logOf(trader);

    expect(events.map(({ type, data }) => [type, data.status, data.action ?? null])).to.deep.equal([
      ['enrollment.updated', 'enrolled', null],
      ['order.updated', 'completed', 'place'],
      ['order.updated', 'completed', 'place'],
      ['order.updated', 'completed', 'cancel'],
      ['order.updated', 'completed', 'lifecycle'],
      ['order.updated', 'completed', 'close'],
      ['enrollment.updated', 'revoked', null],
    ]);
    expect(events[1]?.data).to.include({ trader_id: trader.wallet, pair: 'BTC-USDC', position_changed: true });
    expect(events[2]?.data).to.include({ position_changed: false });
    for (const event of events) expect(faultOf(event.type, event), JSON.stringify(event)).to.equal(null);
  });

  it('are read on from an event, in pages, and by no other partner', async () => {
    const [trader, other] = [await service.trader(), await service.trader()];
    await trader.post(NETVENUE, market());
    const [first, second] = await logOf(trader);

    expect((await logOf(trader, `?after=${first?.id}`)).map(({ id }) => id)).to.deep.equal([second?.id]);
    expect((await trader.get('/v1/events?limit=1')).headers.link).to.include(`cursor=${first?.id}`);
    expectProblem(await other.get(`/v1/events?after=${first?.id}`), 'V1_EVENT_UNKNOWN');
    expect((await logOf(other)).map(({ id }) => id)).to.not.include.members([first?.id, second?.id]);
    expect(await logOf(other)).to.have.length(1);
  });

  it('are streamed as they are logged, to their partner alone, and resume after the Last-Event-ID', async () => {
    const [trader, other] = [await service.trader(), await service.trader()];
    const [reader, others] = [await open(trader), await open(other)];
    await eventually(async () => reader.events.length > 0 && others.events.length > 0);
    await trader.post(NETVENUE, market());
    const event = await eventually(async () => reader.events[1]);
    reader.drop();
    await trader.post(NETVENUE, market({ order_type: 'SHORT' }));
    const resumed = await open(trader, { 'Last-Event-ID': String(event.id) });
    await eventually(async () => resumed.events.length > 0);
    const foreign = await open(other, { 'Last-Event-ID': String(event.id) });
    const first = await eventually(async () => foreign.events[0]);

    const [made, placed, turned] = await logOf(trader);
    expect(reader.events[0]).to.deep.include({ type: 'snapshot' });
    expect(reader.events[0]?.data).to.include({ last_event_id: made?.id });
    expect(event).to.deep.include({ type: 'order.updated', data: placed });
    expect(resumed.events.map(({ data }) => data)).to.deep.equal([turned]);
    expect(first.type).to.equal('snapshot');
    expect(first.data).to.include({ last_event_id: (await logOf(other))[0]?.id });
    expect(others.events).to.have.length(1);
  });

  it('begin with a snapshot where the events after the Last-Event-ID are deleted, and end with the key', async () => {
    const trader = await service.trader();
    await trader.post(NETVENUE, market());
    const { id } = await eventually(async () => (await open(trader)).events[0]);
    const partner = String(id).split(':')[0] ?? '';
    await trader.post(NETVENUE, market());
    await service.db.query(sql.unsafe`delete from events where owner = ${partner} and position <= 3`);

    const late = await open(trader, { 'Last-Event-ID': `${partner}:1` });
    const { type } = await eventually(async () => late.events[0]);
    const ahead = await open(trader, { 'Last-Event-ID': `${partner}:2147483648` }); // more than a 4-byte integer
    await service.db.query(sql.unsafe`update partner_keys set revoked_at = now() where partner_id = ${partner}`);
    await eventually(async () => late.ended(), 10_000);

    expect([type, ahead.events[0]?.type]).to.deep.equal(['snapshot', 'snapshot']);
    expect(late.events.at(-1)).to.deep.include({ type: 'closed', data: { reason: 'revoked' } });
    expect((await keyOf(trader).get('/v1/events')).status).to.equal(401);
  });

  it('are emitted in the commit that makes them true: a rolled back change has none', async () => {
    const partner = await service.partner();
    const key = generatePrivateKey();
    const enrolled = { ex_wallet: privateKeyToAddress(key), private_key: key };
    await service.db.query(sql.unsafe`
      alter table enrollments add constraint nothing check (label is distinct from 'rolled back') not valid`);
    const { status } = await partner.post('/v1/sessions', { ...enrolled, label: 'rolled back' });
    await service.db.query(sql.unsafe`alter table enrollments drop constraint nothing`);

    expect(status).to.equal(500);
    expect(await logOf(partner)).to.deep.equal([]);
  });
});
