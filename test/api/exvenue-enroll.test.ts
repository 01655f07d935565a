import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type Caller, caller } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

describe('enrolling agents of an exchange wallet', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { VENUE_READ_MS: '300' } });
  });
  after(() => service.stop());
  afterEach(() => service.exchange.faults.clear());

  /** A wallet with an agent that trades for it, and a new one that is not approved yet. */
  async function enrolled() {
    const owner = await service.partner();
    const [wallet, agent, next] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()];
    const address = privateKeyToAddress(wallet).toLowerCase();
    service.exchange.approveAgent(address, privateKeyToAddress(agent), 'desk', Date.now() + HOUR_MS);
    const enroll = (private_key: string) => owner.post('/v1/sessions', { ex_wallet: address, private_key });
    const first = await enroll(agent);
    const trader = caller(service.url, owner.key, { 'Trader-ID': address });
    return { address, enroll, first, next, trader, session: () => trader.get(`/v1/sessions/${address}`) };
  }

  const away = () => service.exchange.faults.add({ kind: 'status_500', route: '/info' });
  const back = () => service.exchange.faults.clear();
  const address = (key: `0x${string}`) => privateKeyToAddress(key).toLowerCase();
  const limit = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

  it('recognises the agent without a name', async () => {
    const { address: wallet, enroll, next } = await enrolled();
    service.exchange.approveAgent(wallet, privateKeyToAddress(next), '', Date.now() + HOUR_MS);

    const reply = await enroll(next);

    expect(reply.body, JSON.stringify(reply.body)).to.include({ verified: true, agent_address: address(next) });
  });

  it('is listed in pages, which continue after a wallet that was revoked and enrolled again meanwhile', async () => {
    const owner = await service.partner();
    const keys = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()] as const;
    const enroll = (key: `0x${string}`) => owner.post('/v1/sessions', { ex_wallet: address(key), private_key: key });
    for (const key of keys) await enroll(key);
    const wallets = async (query = '') =>
      (await owner.get(`/v1/sessions${query}`)).body.map(({ ex_wallet }: { ex_wallet: string }) => ex_wallet);
    const [first, second, third] = keys.map(address);
    const { headers, body } = await owner.get('/v1/sessions?limit=1');
    const path = String(/<([^>]+)>/.exec(String(headers.link))?.[1]);
    expect(body).to.have.length(1);
    expect(await wallets(path.replace('/v1/sessions', ''))).to.deep.equal([second]);
    const rest = path.replace('/v1/sessions', '').replace('limit=1', 'limit=5');
    await owner.delete(`/v1/sessions/${first}`);
    const revoked = await wallets(rest);
    await enroll(keys[0]);

    for (const time of ['0000-01-01T00:00:00.000Z', '+012345-01-01T00:00:00.000Z', 'soon']) {
      const { status } = await owner.get(`/v1/sessions?cursor=${encodeURIComponent(`${time} ${first}`)}`);
      expect(status, time).to.equal(422);
    }
    expect(revoked).to.deep.equal([second, third]);
    expect(await wallets(rest)).to.deep.equal([second, third, first]);
    expect(await wallets()).to.deep.equal([second, third, first]);
  });

  it('rejects an agent without a name that has expired, and a key that is no agent', async () => {
    const { address: wallet, enroll, next } = await enrolled();

    expectProblem(await enroll(next), 'V1_KEY_NOT_AUTHORIZED');
    service.exchange.approveAgent(wallet, privateKeyToAddress(next), '', Date.now() - 1);
    expectProblem(await enroll(next), 'V1_KEY_NOT_AUTHORIZED');
  });

  it('goes on with the good key while the exchange is away, until the new one is confirmed', async () => {
    const { address: wallet, enroll, first, next, trader, session } = await enrolled();
    away();
    const waiting = await enroll(next);
    service.exchange.approveAgent(wallet, privateKeyToAddress(next), 'other', Date.now() + HOUR_MS);
    back();

    const placed = await trader.post('/v1/orders/exvenue', limit);
    await service.runTask('enrollments/verify');
    const confirmed = await session();
    const again = await trader.post('/v1/orders/exvenue', limit);

    const old = first.body.agent_address;
    expect(waiting.body).to.include({ agent_address: old, verified: true, pending_agent_address: address(next) });
    expect(placed.body.status, JSON.stringify(placed.body)).to.equal('open');
    expect(confirmed.body).to.include({ agent_address: address(next), verified: true, pending_agent_address: null });
    expect(confirmed.body.key_version).to.equal(first.body.key_version + 1);
    expect(again.body.status, JSON.stringify(again.body)).to.equal('open');
  });

  it('confirms a wallet by its own key within seconds of the exchange being back, so that its orders wait no longer', async () => {
    const owner = await service.partner();
    const key = generatePrivateKey();
    const trader = caller(service.url, owner.key, { 'Trader-ID': address(key) });
    away();
    const { body } = await owner.post('/v1/sessions', { ex_wallet: address(key), private_key: key });
    back();

    const placed = await trader.post('/v1/orders/exvenue', limit);

    expect(body).to.include({ verified: false });
    expect(placed.body.status, JSON.stringify(placed.body)).to.equal('open');
  });

  it('confirms as many keys as were enrolled while the exchange was away, within seconds', async () => {
    const owner = await service.partner();
    away();
    for (let n = 0; n < 45; n += 1) {
      const key = generatePrivateKey();
      await owner.post('/v1/sessions', { ex_wallet: address(key), private_key: key });
    }
    back();
    const isVerified = async () =>
      (await owner.get('/v1/sessions')).body.map((one: { verified: boolean }) => one.verified);
    const until = Date.now() + 25_000;
    while ((await isVerified()).includes(false) && Date.now() < until) await sleep(200);

    expect(await isVerified()).to.deep.equal(Array(45).fill(true));
  });

  it('keeps the good key if the new one turns out not to be an agent; that one can be enrolled later', async () => {
    const { address: wallet, enroll, first, next, trader, session } = await enrolled();
    away();
    await enroll(next);
    back();

    await service.runTask('enrollments/verify');
    const kept = await session();
    const placed = await trader.post('/v1/orders/exvenue', limit);
    service.exchange.approveAgent(wallet, privateKeyToAddress(next), 'other', Date.now() + HOUR_MS);
    const later = await enroll(next);

    expect(kept.body).to.include({ agent_address: first.body.agent_address, pending_agent_address: null });
    expect(placed.body.status).to.equal('open');
    expect(later.body).to.include({ agent_address: address(next), verified: true });
  });

  it('forgets a waiting key when the good one is enrolled again, and when another follows it', async () => {
    const { enroll, next, session } = await enrolled();
    away();
    await enroll(generatePrivateKey());
    const replaced = await enroll(next);
    back();
    const { body } = await session();

    expect(replaced.body.pending_agent_address).to.equal(address(next));
    expect(body.pending_agent_address).to.equal(address(next));
  });

  it('keeps the keys of another partner and of another wallet apart, in every read and after a revocation', async () => {
    const [one, other] = [await service.partner(), await service.partner()];
    const [shared, unshared] = [generatePrivateKey(), generatePrivateKey()].map(address) as [string, string];
    const enroll = async (owner: Caller, wallet: string) => {
      const agent = generatePrivateKey();
      service.exchange.approveAgent(
        wallet,
        privateKeyToAddress(agent),
        address(agent).slice(0, 12),
        Date.now() + HOUR_MS,
      );
      const { status, body } = await owner.post('/v1/sessions', { ex_wallet: wallet, private_key: agent });
      expect(status, JSON.stringify(body)).to.equal(200);
      return address(agent);
    };
    const shownTo = async (owner: Caller) =>
      (await owner.get('/v1/sessions')).body.map((session: Record<string, unknown>) => [
        ...[session.ex_wallet, session.agent_address, session.pending_agent_address],
      ]);
    await enroll(one, shared);
    const [first, second, others] = [
      await enroll(one, shared),
      await enroll(one, unshared),
      await enroll(other, shared),
    ];
    away();
    const pending = await enroll(one, shared);

    const all = [await shownTo(one), await shownTo(other)];
    back(); // the key is confirmed at once, and waits no longer
    const single = (await one.get(`/v1/sessions/${unshared}`)).body;
    await one.delete(`/v1/sessions/${shared}`);
    const kept = await service.db.anyFirst(sql.unsafe`
      select k.signer from signing_keys k
      where k.sealed is not null and k.ex_wallet = any(${sql.array([shared, unshared], 'text')})
      order by k.ex_wallet = ${unshared}`);

    expect(all).to.deep.equal([
      [
        [shared, first, pending],
        [unshared, second, null],
      ],
      [[shared, others, null]],
    ]);
    expect(single).to.include({ ex_wallet: unshared, agent_address: second, pending_agent_address: null });
    expect(kept).to.deep.equal([others, second]);
    expect([await shownTo(one), await shownTo(other)]).to.deep.equal([
      [[unshared, second, null]],
      [[shared, others, null]],
    ]);
  });

  it('does not use a new key while an action of the old one is in doubt', async () => {
    const trader = await service.wallet();
    const agent = generatePrivateKey();
    const market = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
    service.exchange.approveAgent(trader.wallet, address(agent), 'next');
    await service.db.query(sql.unsafe`
      insert into intents (id, kind, owner, lane, state, request, sent_payload, digest, sending_at, deadline_at)
      select gen_random_uuid(), 'exchange/place', k.owner, 'exvenue:' || k.ex_wallet, 'in_doubt', '{}',
        jsonb_build_object('key_id', k.id), '', now() + interval '1 minute', now()
      from signing_keys k
      where k.ex_wallet = ${trader.wallet}`);
    await trader.post('/v1/sessions', { ex_wallet: trader.wallet, private_key: agent });

    const held = await trader.post('/v1/orders/exvenue', market);
    await service.db.query(sql.unsafe`delete from intents where state = 'in_doubt'`);
    const free = await trader.post('/v1/orders/exvenue', market);

    expectProblem(held, 'V1_KEY_ROTATING', { effect: 'none', retryable: true });
    expect(free.body.status).to.equal('filled');
  });
});
