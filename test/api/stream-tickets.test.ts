import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { digest } from '../../src/kernel/ids.ts';
import { asking, bearer, type Data } from '../support/identity.ts';
import { eventually } from '../support/money.ts';
import { limit } from '../support/orders.ts';
import { type Reader, readStream } from '../support/stream.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../support/trading.ts';

const ORIGIN = 'https://desk.example';

describe('a stream ticket', function () {
  this.timeout(30_000);
  let service: Trading;
  let trader: TestTrader;
  const readers: Reader[] = [];
  before(async () => {
    service = await startTrading();
    trader = await service.propTrader();
    await service.db.query(sql.unsafe`
      update apps set allowed_origins = ${sql.array([ORIGIN], 'text')} where id = ${service.tenant.appId}`);
  });
  after(() => service.stop());
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.drop();
  });

  const open = async (path: string, query: Record<string, string>, headers = {}) => {
    const reader = await readStream(`${service.url}${path}?${new URLSearchParams(query)}`, headers);
    readers.push(reader);
    return reader;
  };
  const ticketOf = ({ status, body }: Data): string => {
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(Date.parse(body.expires_at) - Date.now()).to.be.within(40_000, 61_000);
    return body.ticket;
  };
  const forUser = async () => ticketOf(await trader.ask('POST', '/v2/stream-tickets'));
  const partnerOf = async () => {
    const { key } = await service.wallet();
    return { key, ask: asking(service.url, bearer(key)) };
  };
  const STREAM = `${TRADING}/stream`;

  it('opens the stream of its account once, and no other operation', async () => {
    const ticket = await forUser();
    const wrong = await open(`${TRADING}/positions`, { ticket });
    const first = await open(STREAM, { ticket });
    const second = await open(STREAM, { ticket });
    await eventually(async () => first.events.length > 0);

    expect([wrong.status, first.status, second.status]).to.deep.equal([401, 200, 401]);
    expect(first.events[0]?.data).to.include({ prop_account_id: trader.account.id });
    expect(await eventually(async () => second.body())).to.include('V2_STREAM_TICKET_INVALID');
    expect(second.headers['www-authenticate']).to.equal('Ticket realm="v2 trading stream"');
  });

  it('opens one stream for many that use it at once', async () => {
    const ticket = await forUser();

    const opened = await Promise.all(Array.from({ length: 8 }, () => open(STREAM, { ticket })));

    expect(opened.filter(({ status }) => status === 200)).to.have.length(1);
  });

  it('is stored as its digest alone, and is gone once used or expired', async () => {
    const [used, expired] = [await forUser(), await forUser()];
    const rows = (ticket: string) =>
      service.db.any(sql.type(z.object({ row: z.string() }))`
        select t::text as row from stream_tickets t where t.digest = ${sql.binary(digest(ticket))}`);
    const [stored] = await rows(used);
    await service.db.query(sql.unsafe`
      update stream_tickets set expires_at = now() where digest = ${sql.binary(digest(expired))}`);
    const late = await open(STREAM, { ticket: expired });
    await open(STREAM, { ticket: used });

    expect(stored?.row).to.be.a('string').that.does.not.include(used.slice(4));
    expect(late.status).to.equal(401);
    expect([...(await rows(used)), ...(await rows(expired))]).to.deep.equal([]);
  });

  it('resumes after `last_event_id`', async () => {
    const first = await open(STREAM, { ticket: await forUser() });
    const at = await eventually(async () => first.events[0]?.id);
    first.drop();
    await trader.ask('POST', `${TRADING}/orders`, { json: limit() });

    const resumed = await open(STREAM, { ticket: await forUser(), last_event_id: String(at) });
    await eventually(async () => resumed.events.length > 0);

    expect(resumed.events[0]).to.include({ type: 'order' });
  });

  it('is for the pages of its app on v2, and for any page on v1', async () => {
    const { ask } = await partnerOf();
    const ticket = ticketOf(await ask('POST', '/v1/stream-tickets'));
    const [ours, others, partners] = [
      await open(STREAM, { ticket: await forUser() }, { Origin: ORIGIN }),
      await open(STREAM, { ticket: await forUser() }, { Origin: 'https://elsewhere.example' }),
      await open('/v1/stream', { ticket }, { Origin: 'https://elsewhere.example' }),
    ];

    const allowed = [ours, others, partners].map(({ headers }) => headers['access-control-allow-origin']);
    expect(allowed).to.deep.equal([ORIGIN, undefined, '*']);
    for (const { status } of [ours, others, partners]) expect(status).to.equal(200);
  });

  it('of a partner opens its stream, and not that of an account', async () => {
    const { ask } = await partnerOf();
    const tickets = [
      ticketOf(await ask('POST', '/v1/stream-tickets')),
      ticketOf(await ask('POST', '/v1/stream-tickets')),
    ] as const;
    const asAccount = await open(STREAM, { ticket: tickets[0] });
    const asPartner = await open('/v1/stream', { ticket: await forUser() });
    const reader = await open('/v1/stream', { ticket: tickets[1] });
    await eventually(async () => reader.events.length > 0);

    expect([asAccount.status, asPartner.status]).to.deep.equal([401, 401]);
    expect(await eventually(async () => asPartner.body())).to.include('V1_STREAM_TICKET_INVALID');
    expect(reader.events[0]).to.include({ type: 'snapshot' });
  });

  it('of another account than the one that a header names opens nothing', async () => {
    const other = await service.propTrader();
    const reader = await open(STREAM, { ticket: await forUser() }, { 'X-Prop-Account': other.account.id });

    expect(reader.status).to.equal(403);
  });

  it('ends with the session that issued it, used or not', async () => {
    const { user, ask } = await service.propTrader();
    const unused = ticketOf(await ask('POST', '/v2/stream-tickets'));
    const reader = await open(STREAM, { ticket: ticketOf(await ask('POST', '/v2/stream-tickets')) });
    await user.ask('POST', '/v2/auth/sessions/revoke');
    await eventually(async () => reader.ended(), 5_000);

    expect(reader.events.at(-1)?.data).to.deep.equal({ reason: 'revoked' });
    expect((await open(STREAM, { ticket: unused })).status).to.equal(401);
  });

  it('ends with the token that issued it, or the key of its partner', async () => {
    const { tenant } = service;
    const token = (await service.token(tenant)).body.access_token;
    const account = { 'X-Prop-Account': trader.account.id };
    const byApp = asking(service.url, { ...bearer(token), ...account });
    const { key, ask } = await partnerOf();
    const tickets = [
      ticketOf(await byApp('POST', '/v2/stream-tickets')),
      ticketOf(await ask('POST', '/v1/stream-tickets')),
    ] as const;
    const [ofApp, ofPartner] = [
      await open(STREAM, { ticket: ticketOf(await byApp('POST', '/v2/stream-tickets')) }),
      await open('/v1/stream', { ticket: ticketOf(await ask('POST', '/v1/stream-tickets')) }),
    ];
    const form = { token, client_id: tenant.appId, client_secret: tenant.secret };
    await service.ask('POST', '/v2/oauth/revoke', { form });
    await service.db.query(sql.unsafe`
      update partner_keys set revoked_at = now() where digest = ${sql.binary(digest(key))}`);
    await eventually(async () => ofApp.ended() && ofPartner.ended(), 5_000);

    for (const reader of [ofApp, ofPartner]) expect(reader.events.at(-1)?.data).to.deep.equal({ reason: 'revoked' });
    expect((await open(STREAM, { ticket: tickets[0] })).status).to.equal(401);
    expect((await open('/v1/stream', { ticket: tickets[1] })).status).to.equal(401);
  });

  it('is not issued by a key of a trader, and names an account where an app issues it', async () => {
    const { api_key } = await trader.key();
    const byKey = await asking(service.url, { 'X-Api-Key': api_key })('POST', '/v2/stream-tickets');
    const byApp = await service.tenant.ask('POST', '/v2/stream-tickets');

    expect([byKey.status, byApp.status]).to.deep.equal([401, 422]);
  });
});
