import { expect } from 'chai';
import { sql } from 'slonik';
import { bearer } from '../../support/identity.ts';
import { eventually } from '../../support/money.ts';
import { limit, market } from '../../support/orders.ts';
import { type Reader, readStream, type StreamEvent } from '../../support/stream.ts';
import { faultOf } from '../../support/stream-schemas.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;
const HEARTBEAT_MS = 250;

describe('streamTradingEvents', function () {
  this.timeout(30_000);
  let service: Trading;
  let trader: TestTrader;
  let key: Awaited<ReturnType<TestTrader['key']>>;
  const readers: Reader[] = [];
  before(async () => {
    service = await startTrading({ settings: { STREAM_HEARTBEAT_MS: String(HEARTBEAT_MS), TRADING_WATCH_MS: '100' } });
  });
  after(() => service.stop());
  beforeEach(async () => {
    trader = await service.propTrader();
    key = await trader.key();
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.drop();
  });

  const open = async (headers: Record<string, string> = {}, query = '') => {
    const credentials = { 'X-Api-Key': key.api_key, ...headers };
    const reader = await readStream(`${service.url}${TRADING}/stream${query}`, credentials);
    readers.push(reader);
    return reader;
  };
  const waitFor = (reader: Reader, is: (event: StreamEvent) => boolean) =>
    eventually(async () => reader.events.find(is), 5_000);
  const ofType = (reader: Reader, wanted: string) => reader.events.filter(({ type }) => type === wanted);

  it('shows a snapshot first, then changes of orders, positions and the account, valid by the contract', async () => {
    const resting = await trader.ask('POST', ORDERS, { json: limit() });
    const reader = await open({ 'Accept-Encoding': 'zstd, br, gzip, deflate' });
    await waitFor(reader, ({ type }) => type === 'snapshot');
    const placed = await trader.ask('POST', ORDERS, { json: market({ trade_pair: 'ETHUSDC' }) });
    await trader.ask('DELETE', `${ORDERS}/${resting.body.order_uuid}`);
    await waitFor(reader, ({ type, data }) => type === 'position' && data.change === 'opened');
    await trader.ask('POST', `${ORDERS}/close`, { json: { trade_pair: 'ETHUSDC' } });
    await waitFor(reader, ({ type, data }) => type === 'position' && data.change === 'closed');
    await service.network({ subaccount_id: Number(trader.traderId), elimination: 'drawdown' });
    await trader.ask('POST', `/v2/lifecycle/sync/${trader.account.id}`);
    await waitFor(reader, ({ type }) => type === 'account');

    expect(reader.headers['content-type']).to.equal('text/event-stream');
    expect(reader.events[0]?.data).to.deep.include({ status: 'evaluation', account_size: 10_000, positions: [] });
    expect(reader.events[0]?.data.orders).to.have.nested.property('[0].order_uuid', resting.body.order_uuid);
    expect(ofType(reader, 'order').map(({ data }) => [data.action, data.lifecycle])).to.deep.include.members([
      ['place', 'filled'],
      ['cancel', 'cancelled'],
      ['lifecycle', 'cancelled'],
      ['close', null],
    ]);
    expect(reader.headers).not.to.have.property('content-encoding');
    expect(reader.headers).to.have.property('vary', 'Origin');
    expect(ofType(reader, 'order')[0]?.data).to.deep.include({
      order_uuid: placed.body.order_uuid,
      status: 'completed',
    });
    expect(ofType(reader, 'account')[0]?.data).to.deep.include({ status: 'eliminated', failure_reason: 'drawdown' });
    for (const { type, data } of reader.events) {
      expect(faultOf(type, data), `${type} ${JSON.stringify(data)}`).to.equal(null);
    }
    const numbers = reader.events.map(({ id }) => Number(id?.split(':')[1]));
    expect(numbers.slice(1)).to.deep.equal(numbers.slice(1).map((_, n) => Number(numbers[0]) + n + 1));
  });

  it('emits a resting order that filled at the venue without a request', async () => {
    const placed = await trader.ask('POST', ORDERS, {
      json: limit({ trade_pair: 'SOLUSDC', limit_price: 190, quantity: 5 }),
    });
    const reader = await open();
    service.miner.setPrice('SOLUSDC', 189);

    const { data } = await waitFor(reader, (event) => event.data.action === 'lifecycle');
    service.miner.setPrice('SOLUSDC', 200);

    expect(data).to.include({ order_uuid: placed.body.order_uuid, lifecycle: 'filled', status: 'completed' });
  });

  it('resumes after the Last-Event-ID, and starts again when that belongs to another account or has been pruned', async () => {
    const first = await open();
    await waitFor(first, ({ type }) => type === 'snapshot');
    const id = String(first.events[0]?.id);
    first.drop();
    await trader.ask('POST', ORDERS, { json: limit() });
    await trader.ask('POST', ORDERS, { json: limit() });

    const resumed = await open({ 'Last-Event-ID': id });
    await eventually(async () => resumed.events.length >= 2);
    const foreign = await open({ 'Last-Event-ID': 'prop_other:1' });
    await service.db.query(sql.unsafe`
      delete from account_events
      where prop_account_id = ${trader.account.id} and position <= ${Number(id.split(':')[1]) + 1}`);
    const late = await open({ 'Last-Event-ID': id });
    const ahead = await open({ 'Last-Event-ID': `${trader.account.id}:999999` });

    expect(resumed.events.map(({ type }) => type)).to.deep.equal(['order', 'order']);
    for (const reader of [foreign, late, ahead])
      expect(await eventually(async () => reader.events[0])).to.include({ type: 'snapshot' });
  });

  it('batches events for interval_ms', async () => {
    const reader = await open({}, '?interval_ms=600');
    const first = await waitFor(reader, ({ type }) => type === 'snapshot');
    await trader.ask('POST', ORDERS, { json: limit() });
    await waitFor(reader, ({ type }) => type === 'order');
    const startedAt = Date.now();
    await trader.ask('POST', ORDERS, { json: limit() });
    await eventually(async () => ofType(reader, 'order').length === 2);

    expect(first.type).to.equal('snapshot');
    expect(Date.now() - startedAt).to.be.within(300, 2_000);
  });

  it('sends heartbeats, and causes no other work while nothing happens', async () => {
    const reader = await open();

    await eventually(async () => reader.comments() >= 3);

    expect(reader.events.map(({ type }) => type)).to.deep.equal(['snapshot']);
  });

  it('limits the streams of one caller on one account, and frees a slot when one ends', async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, () => open()));
    const rejected = await open();
    ten[0]?.drop();
    const again = await eventually(async () => {
      const reader = await open();
      return reader.status === 200 && reader;
    });

    expect(ten.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
    expect([rejected.status, again.status]).to.deep.equal([429, 200]);
    expect(await eventually(async () => rejected.body())).to.include('V2_STREAM_LIMIT');
  });

  it('ends within seconds when its key is revoked, and says so', async () => {
    const reader = await open();
    await trader.ask('DELETE', `/v2/api-keys/${key.id}`);

    await eventually(async () => reader.ended());

    expect(reader.events.at(-1)).to.deep.equal({ id: null, type: 'closed', data: { reason: 'revoked' } });
    expect((await open()).status).to.equal(401);
  });

  it('ends within seconds when the session of its user is revoked, or the token of its app', async () => {
    const { tenant, url } = service;
    const token = (await service.token(tenant)).body.access_token;
    const account = { 'X-Prop-Account': trader.account.id };
    const session = { ...bearer(tenant.token), 'X-Session-Token': trader.user.session };
    const [byUser, byApp, byOther] = await Promise.all(
      [session, { ...bearer(token), ...account }, { ...bearer(tenant.token), ...account }].map((headers) =>
        readStream(`${url}${TRADING}/stream`, headers),
      ),
    );
    readers.push(...[byUser, byApp, byOther].flatMap((reader) => reader ?? []));

    await trader.ask('POST', '/v2/auth/sessions/revoke');
    const form = { token, client_id: tenant.appId, client_secret: tenant.secret };
    await service.ask('POST', '/v2/oauth/revoke', { form });
    await eventually(async () => byUser?.ended() && byApp?.ended(), 5_000);

    for (const reader of [byUser, byApp]) expect(reader?.events.at(-1)?.data).to.deep.equal({ reason: 'revoked' });
    expect(byOther?.ended()).to.equal(false);
  });

  for (const [what, change, undone] of [
    ['is disabled', sql.fragment`disabled_at = now()`, sql.fragment`disabled_at = null`],
    ['may trade no more', sql.fragment`allowed_scopes = '{webhooks}'`, sql.fragment`allowed_scopes = '{api}'`],
  ] as const) {
    it(`ends within seconds when its app ${what}`, async () => {
      const [byKey, byApp] = [
        await open(),
        await readStream(`${service.url}${TRADING}/stream`, {
          ...bearer(service.tenant.token),
          'X-Prop-Account': trader.account.id,
        }),
      ];
      readers.push(byApp);

      const app = (changed: typeof change) =>
        service.db.query(sql.unsafe`update apps set ${changed} where id = ${service.tenant.appId}`);
      await app(change);
      await eventually(async () => byKey.ended() && byApp.ended(), 5_000).finally(() => app(undone));

      for (const reader of [byKey, byApp]) expect(reader.events.at(-1)?.data).to.deep.equal({ reason: 'revoked' });
    });
  }

  it('reports to a slow reader that it is too slow, and ends; nothing is lost after its last event', async function () {
    this.timeout(90_000); // 20 MB, more than all buffers hold
    const reader = await open();
    await waitFor(reader, ({ type }) => type === 'snapshot');
    reader.pause();
    const before = Number(reader.events[0]?.id?.split(':')[1]);
    await service.db.query(sql.unsafe`
      select record_account_event(${trader.account.id}, 'position', jsonb_build_object('padding', repeat('x', 20000)))
      from generate_series(1, 1000)`);
    await eventually(async () => service.log.lines.some(({ msg }) => msg === 'stream reader is too slow'));
    reader.resume();
    await eventually(async () => reader.ended(), 30_000);
    const resumed = await open({ 'Last-Event-ID': String(reader.events.findLast(({ id }) => id)?.id) });
    const positions = () =>
      [...reader.events.slice(1), ...resumed.events].flatMap(({ id }) => (id ? [Number(id.split(':')[1])] : []));
    await eventually(async () => positions().includes(before + 1_000), 30_000);

    expect(reader.events.at(-1)).to.deep.equal({ id: null, type: 'closed', data: { reason: 'too_slow' } });
    expect(positions().slice(0, 1_000)).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => before + 1 + n));
  });

  it('reads the network only while a stream is open or an order rests', async () => {
    const { faults } = service.miner;
    const next = faults.next;
    let reads = 0;
    faults.next = (call) => {
      if (call.includes(trader.account.synthetic_hotkey)) reads += 1;
      return next(call);
    };
    await new Promise((resolve) => setTimeout(resolve, 500));
    const idle = reads;
    const reader = await open();
    await trader.ask('POST', ORDERS, { json: market() });
    await waitFor(reader, ({ type }) => type === 'position');
    const listening = reads;
    reader.drop();
    await service.db.query(
      sql.unsafe`update account_watches set listened_until = now() where prop_account_id = ${trader.account.id}`,
    );
    await eventually(async () => {
      const left = reads;
      await new Promise((resolve) => setTimeout(resolve, 600)); // several of the intervals at which it would be read
      return reads === left;
    });
    faults.next = next;

    expect(idle).to.equal(0);
    expect(listening).to.be.above(1);
  });
});
