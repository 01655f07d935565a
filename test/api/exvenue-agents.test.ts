import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { caller } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const HOUR_MS = 3_600_000;
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

describe('agents of an exchange wallet', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { VENUE_READ_MS: '300' } });
  });
  after(() => service.stop());
  afterEach(() => service.exchange.faults.clear());

  const addressOf = (key: `0x${string}`) => privateKeyToAddress(key).toLowerCase();

  /** A master with an agent that is approved until `untilMs`, and its partner. Nothing is enrolled. */
  async function approved(untilMs = Date.now() + HOUR_MS) {
    const owner = await service.partner();
    const [master, key] = [addressOf(generatePrivateKey()), generatePrivateKey()];
    service.exchange.approveAgent(master, addressOf(key), 'desk', untilMs);
    const enroll = (ex_wallet: string, private_key = key) => owner.post('/v1/sessions', { ex_wallet, private_key });
    const trader = (wallet: string) => caller(service.url, owner.key, { 'Trader-ID': wallet });
    return { owner, master, key, agent: addressOf(key), enroll, trader };
  }

  it('are no wallets: the address of an agent is rejected, and its master is named', async () => {
    const { owner, master, agent, enroll } = await approved();

    const reply = await enroll(agent);
    const another = await enroll(agent, generatePrivateKey());

    for (const { status, body } of [reply, another]) {
      expect(status, JSON.stringify(body)).to.equal(422);
      expect(body.error).to.include({ code: 'V1_WALLET_IS_AGENT', reason: master });
      expect(body.error.message).to.contain(master);
    }
    expect((await owner.get('/v1/sessions')).body).to.deep.equal([]);
  });

  it('sign nothing in their own name while the exchange cannot say what they are', async () => {
    const { agent, enroll, trader, owner } = await approved();
    service.exchange.faults.add({ kind: 'status_500', route: '/info' });
    const unverified = await enroll(agent);
    service.exchange.faults.clear();

    const placed = await trader(agent).post(ORDERS, LIMIT, { prefer: 'wait=0' });
    await service.runTask('enrollments/verify');
    const sessions = await owner.get('/v1/sessions');

    expect(unverified.body).to.include({ verified: false, is_agent: false });
    expect(placed.status).to.equal(202);
    expect(sessions.body).to.deep.equal([]);
    expect(service.exchange.ledger.entries().filter(({ detail }) => detail.signer === agent)).to.deep.equal([]);
  });

  it('are shown with the time of their end; the own key of a wallet has none', async () => {
    const untilMs = Math.floor(Date.now() / 1000) * 1000 + HOUR_MS;
    const { master, enroll } = await approved(untilMs);
    const own = await service.wallet();

    const { body } = await enroll(master);
    const ownSession = (await own.get(`/v1/sessions/${own.wallet}`)).body;

    expect(body.valid_until).to.equal(new Date(untilMs).toISOString());
    expect(ownSession.valid_until).to.equal(null);
  });

  it('have no end where theirs is later than any time that can be shown', async () => {
    for (const untilMs of [Date.UTC(10_000, 0), Number.MAX_SAFE_INTEGER]) {
      const { master, owner, enroll } = await approved(untilMs);

      const enrolled = await enroll(master);
      const sessions = await owner.get('/v1/sessions');

      expect(enrolled.status).to.equal(200);
      expect(sessions.body).to.deep.equal([enrolled.body]);
      expect(enrolled.body).to.include({ verified: true, valid_until: null });
    }
  });

  for (const [why, end] of [
    ['as they have expired', (master, agent) => service.exchange.approveAgent(master, agent, 'desk', Date.now() - 1)],
    ['as another took their place', (master) => service.exchange.approveAgent(master, `0x${'7'.repeat(40)}`, 'desk')],
  ] as [string, (master: string, agent: string) => void][])
    it(`that the exchange rejects ${why} mark their session until a key is enrolled`, async () => {
      const { owner, master, agent, enroll, trader } = await approved();
      await enroll(master);
      end(master, agent);

      const first = await trader(master).post(ORDERS, LIMIT);
      const session = (await owner.get(`/v1/sessions/${master}`)).body;
      const [second, closing, cancelling] = [
        await trader(master).post(ORDERS, LIMIT),
        await trader(master).post(`${ORDERS}/close`, { pair: 'BTC' }),
        await trader(master).delete(ORDERS),
      ];
      const events = (await owner.get('/v1/events')).body as { type: string; data: { status: string } }[];
      service.exchange.approveAgent(master, agent, 'desk', Date.now() + HOUR_MS);
      const again = await enroll(master);
      const placed = await trader(master).post(ORDERS, LIMIT);

      expectProblem(first, 'VENUE_REJECTED', { effect: 'none' });
      expect(session).to.include({ status: 'rejected_by_venue', verified: false });
      for (const reply of [second, closing, cancelling]) expectProblem(reply, 'V1_KEY_REJECTED', { effect: 'none' });
      expect(events.map(({ type, data }) => [type, data.status])).to.deep.include([
        'enrollment.updated',
        'rejected_by_venue',
      ]);
      expect(again.body).to.include({ status: 'enrolled', verified: true, key_version: 1 });
      expect(placed.body.status, JSON.stringify(placed.body)).to.equal('open');
    });

  it('that the exchange rejected are checked again where they were enrolled again while it could not be read', async () => {
    const { owner, master, agent, enroll, trader } = await approved();
    await enroll(master);
    service.exchange.approveAgent(master, agent, 'desk', Date.now() - 1);
    await trader(master).post(ORDERS, LIMIT);
    service.exchange.approveAgent(master, agent, 'desk', Date.now() + HOUR_MS);

    service.exchange.faults.add({ kind: 'status_500', route: '/info' });
    const again = await enroll(master);
    service.exchange.faults.clear();
    await service.runTask('enrollments/verify');
    const session = (await owner.get(`/v1/sessions/${master}`)).body;
    const placed = await trader(master).post(ORDERS, LIMIT);

    expect([again.status, again.body.verified]).to.deep.equal([200, false]);
    expect(session).to.include({ status: 'enrolled', verified: true, key_version: 1 });
    expect(placed.body.status, JSON.stringify(placed.body)).to.equal('open');
  });

  it('that the exchange still rejects keep their session, and are enrolled once they are approved', async () => {
    const { owner, master, agent, enroll, trader } = await approved();
    await enroll(master);
    service.exchange.approveAgent(master, agent, 'desk', Date.now() - 1);
    await trader(master).post(ORDERS, LIMIT);

    service.exchange.faults.add({ kind: 'status_500', route: '/info' });
    await enroll(master);
    service.exchange.faults.clear();
    await service.runTask('enrollments/verify');
    const session = (await owner.get(`/v1/sessions/${master}`)).body;
    service.exchange.approveAgent(master, agent, 'desk', Date.now() + HOUR_MS);
    const approvedAgain = await enroll(master);

    expect(session).to.include({ status: 'rejected_by_venue', verified: false });
    expect(approvedAgain.body).to.include({ status: 'enrolled', verified: true, key_version: 1 });
  });

  it('whose session is revoked sign nothing of what was accepted before', async () => {
    const { owner, master, enroll, trader } = await approved();
    await enroll(master);
    service.exchange.faults.add({ kind: 'hang', route: 'POST /exchange', times: 1 });
    const hung = await trader(master).post(ORDERS, LIMIT, { prefer: 'wait=0' });
    const alone = { ...LIMIT, leverage: 5, client_order_id: crypto.randomUUID() };
    const behind = await trader(master).post(ORDERS, alone, { prefer: 'wait=0' });

    const revoked = await owner.delete(`/v1/sessions/${master}`);
    const repeated = await trader(master).post(ORDERS, alone, { prefer: 'wait=20' });

    expect([hung.status, behind.status, revoked.status]).to.deep.equal([202, 202, 204]);
    expectProblem(repeated, 'V1_NOT_ENROLLED', { effect: 'none' });
  });

  it('do not include the own key of a wallet that has no deposit yet', async () => {
    const trader = await service.wallet();

    await service.db.query(sql.unsafe`
      select mark_key_rejected(k.id)
      from signing_keys k
      where k.ex_wallet = ${trader.wallet}`);
    const { body } = await trader.get(`/v1/sessions/${trader.wallet}`);

    expect(body).to.include({ status: 'enrolled', verified: true, is_agent: false });
  });
});
