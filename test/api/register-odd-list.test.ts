import { expect } from 'chai';
import { expectProblem } from '../support/problem.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { startService, type TestService } from '../support/service.ts';

const REGISTER = '/v1/register/netvenue';
const CREATE = '/miner/api/create-';

let sizes = 30_000;
/** A size no other test requests: creations of one size and class are interchangeable while they are in doubt. */
const uniqueSize = () => ++sizes;

type Listed = Record<string, Record<string, unknown>>;

describe('a registration whose response was lost, of an entity whose list has a subaccount that cannot be read', () => {
  let relay: Relay;
  let service: TestService;
  before(async () => {
    relay = await relayTo();
    const settings = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350', NETVENUE_VALIDATOR_URL: relay.url };
    service = await startService({ settings });
    relay.target = service.miner.validatorUrl;
  });
  after(async () => {
    await service.stop();
    await relay.close();
  });

  /** From now on the validator lists the subaccounts so. */
  const list = (changed: (listed: Listed) => void) => {
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (reply === 'lost' || !name.startsWith('GET /entity/')) return reply;
      const body = JSON.parse(String(reply.body));
      changed(body.entity.subaccounts);
      const { 'content-length': _, ...headers } = reply.headers;
      return { ...reply, headers, body: JSON.stringify(body) };
    };
  };
  const lose = (kind: 'accept_then_drop' | 'reset') => service.miner.faults.add({ kind, route: CREATE, times: 1 });
  const newest = (listed: Listed) => String(Math.max(...Object.keys(listed).flatMap((id) => Number(id) || [])));

  it('is found although an older subaccount has no class, as from builds without classes', async () => {
    const partner = await service.partner();
    const account_size = uniqueSize();
    await partner.post(REGISTER, { asset_class: 'crypto', account_size: uniqueSize() });
    list((listed) => delete Object.values(listed)[0]?.asset_class);
    lose('accept_then_drop');

    const { status, body } = await partner.post(REGISTER, { asset_class: 'crypto', account_size });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.subaccount).to.include({ account_size });
  });

  it('is found although a newer one, of another class, lacks its size', async () => {
    const partner = await service.partner();
    const account_size = uniqueSize();
    list((listed) => {
      if (!Object.values(listed).some((one) => one.account_size === account_size)) return;
      const next = Number(newest(listed)) + 1;
      const odd = { subaccount_id: next, synthetic_hotkey: `5Other_${next}`, asset_class: 'forex', status: 'active' };
      listed[next] = { ...odd, created_at_ms: Date.now() };
    });
    lose('accept_then_drop');

    const { status, body } = await partner.post(REGISTER, { asset_class: 'crypto', account_size });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.subaccount).to.include({ account_size });
  });

  it('waits while a possible match cannot be read, and is found once it can be', async () => {
    const partner = await service.partner();
    const account_size = uniqueSize();
    list((listed) => delete listed[newest(listed)]?.synthetic_hotkey);
    lose('accept_then_drop');

    const waiting = await partner.post(REGISTER, { asset_class: 'crypto', account_size }, { prefer: 'wait=3' });
    relay.handle = ({ forward }) => forward();
    const intent = await partner.poll(waiting);

    expect(waiting.status, JSON.stringify(waiting.body)).to.equal(202);
    expect(intent).to.include({ state: 'succeeded' });
  }).timeout(30_000);

  for (const [what, changed] of [
    ['its name', (one) => delete one.synthetic_hotkey],
    ['its name and its wallet', (one) => [delete one.synthetic_hotkey, delete one.hl_address]],
    [
      'its number',
      ({ subaccount_id: _, ...one }, listed) => {
        delete listed[newest(listed)];
        listed.odd = one;
      },
    ],
  ] as [string, (one: Record<string, unknown>, listed: Listed) => unknown][])
    it(`of a wallet waits while one that may be it lacks ${what}: it is not sent again`, async () => {
      const partner = await service.partner();
      const ex_address = `0xac${String(uniqueSize()).padStart(38, '0')}`;
      list((listed) => {
        const one = listed[newest(listed)] ?? {};
        if (String(one.hl_address).toLowerCase() === ex_address) changed(one, listed);
      });
      lose('accept_then_drop');

      const waiting = await partner.post(REGISTER, { ex_address }, { prefer: 'wait=3' });
      relay.handle = ({ forward }) => forward();
      const intent = await partner.poll(waiting);

      expect(waiting.status, JSON.stringify(waiting.body)).to.equal(202);
      expect(intent).to.include({ state: 'succeeded' });
    }).timeout(30_000);

  it('ends without effect if only owned or earlier subaccounts cannot be read', async () => {
    const partner = await service.partner();
    await partner.post(REGISTER, { asset_class: 'crypto', account_size: uniqueSize() });
    list((listed) => {
      for (const one of Object.values(listed)) delete one.asset_class;
    });
    lose('reset');

    const reply = await partner.post(REGISTER, { asset_class: 'crypto', account_size: uniqueSize() });

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
  });

  for (const [what, kind, isThere] of [
    ['is found', 'accept_then_drop', true],
    ['ends without effect', 'reset', false],
  ] as const)
    it(`of a wallet ${what} beside an older one without a class`, async () => {
      const partner = await service.partner();
      await partner.post(REGISTER, { asset_class: 'crypto', account_size: uniqueSize() });
      list((listed) => delete Object.values(listed)[0]?.asset_class);
      lose(kind);

      const reply = await partner.post(REGISTER, { ex_address: `0xAb${String(uniqueSize()).padStart(38, '0')}` });

      if (isThere) expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      else expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none', retryable: true });
    });
});
