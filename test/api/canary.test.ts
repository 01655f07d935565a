import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { sealer } from '../../src/kernel/seal.ts';
import { keySealContext } from '../../src/venues/exchange/signing/commands.ts';
import type { Caller, Reply } from '../support/caller.ts';
import { everythingIn, findLeaks, formsOf, type Haystack } from '../support/canary.ts';
import { until } from '../support/processes.ts';
import { findQueueTable } from '../support/queue.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const market = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

describe('private keys', function () {
  this.timeout(60_000);
  let service: TestService;
  const canaries = new Map<string, `0x${string}`>();
  const responses: Haystack[] = [];

  const canary = (name: string): `0x${string}` => {
    const key = generatePrivateKey();
    canaries.set(name, key);
    return key;
  };
  const note = async (what: string, pending: Promise<Reply>): Promise<Reply> => {
    const { status, headers, body } = await pending;
    responses.push({ where: `response to ${what}`, text: JSON.stringify([status, headers, body]) });
    return { status, headers, body };
  };
  const enroll = (who: Caller, ex_wallet: string, private_key: string, what = 'an enrollment') =>
    note(what, who.post('/v1/sessions', { ex_wallet, private_key }));
  const order = (who: Caller, body: object, prefer = 'wait=20') => note('an order', who.post(ORDERS, body, { prefer }));
  /** A partner, and an enrolled wallet whose own key is a canary. */
  const trader = async (name: string) => {
    const key = canary(name);
    const wallet = privateKeyToAddress(key).toLowerCase();
    const partner = await service.partner();
    expect((await enroll(partner, wallet, key)).status).to.equal(200);
    const as: Caller = {
      ...partner,
      get: (path, more) => partner.get(path, { ...more, headers: { 'Trader-ID': wallet } }),
      post: (path, body, more) => partner.post(path, body, { ...more, headers: { 'Trader-ID': wallet } }),
      delete: (path, more) => partner.delete(path, { ...more, headers: { 'Trader-ID': wallet } }),
    };
    return { ...as, wallet, canaryKey: key };
  };

  before(async () => {
    service = await startService();
    await keepJobs(service);
    await orderEverything();
    await rotateInDoubt();
    await enrollInvalidKeys();
    await failToSign();
  });
  after(() => service.stop());

  /**
   * Orders that succeed, that either side rejects, and that are in doubt; protection, a close, cancellations; the
   * revocation of the key.
   */
  async function orderEverything(): Promise<void> {
    const fixture = await trader('orders');
    await order(fixture, market);
    await order(fixture, { ...market, leverage: 3, take_profit: 120_000 });
    await order(fixture, { ...market, order_type: 'limit', price: 50_000 });
    await order(fixture, { ...market, size: '0.0404' });
    await order(fixture, { ...market, size: '0.00001' });
    for (const kind of ['accept_then_drop', 'html_200', 'cut_json'] as const) {
      service.exchange.faults.add({ kind, route: 'POST /exchange', times: 1 });
      await order(fixture, market);
    }
    await note('protection', fixture.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 }));
    await note('a close', fixture.post(`${ORDERS}/close`, { pair: 'BTC' }));
    await note('a list', fixture.get(ORDERS));
    await note('a cancellation', fixture.delete(ORDERS));
    await note('a session', fixture.get(`/v1/sessions/${fixture.wallet}`));
    await note('sessions', fixture.get('/v1/sessions'));
    await note('an end', fixture.delete(`/v1/sessions/${fixture.wallet}`));
    await order(fixture, market);
  }

  /** Rotates a key while an order signed with it is in doubt; the order settles with the old key. */
  async function rotateInDoubt(): Promise<void> {
    const old = await trader('rotated out');
    service.exchange.faults.add({ kind: 'reset', route: 'POST /exchange', times: 1 });
    const inDoubt = await order(old, market, 'wait=0');
    const intent = `/v1/intents/${inDoubt.headers['intent-id']}`;
    await until('it is in doubt', async () => (await old.get(intent)).body.state === 'in_doubt');
    const agent = canary('rotated in');
    service.exchange.approveAgent(old.wallet, privateKeyToAddress(agent).toLowerCase(), 'next');
    await enroll(old, old.wallet, agent);
    await order(old, market);
    await note(
      'a poll',
      old.poll(inDoubt, 20_000).then((body) => ({ status: 200, headers: {}, body })),
    );
  }

  /** Keys that are rejected, unverified, or used in the wrong place. */
  async function enrollInvalidKeys(): Promise<void> {
    const partner = await service.partner();
    const wallet = privateKeyToAddress(generatePrivateKey()).toLowerCase();
    await enroll(partner, wallet, canary('of another wallet'));
    await enroll(partner, wallet, `${canary('with a tail')}ff`);
    service.exchange.faults.add({ kind: 'status_500', route: 'POST /info', times: 1 });
    await enroll(partner, wallet, canary('not verified'));
    await service.runTask('enrollments/verify');
    const key = canary('astray');
    const raw = (text: string) => partner.post('/v1/sessions', undefined, { raw: text });
    await note('cut-off JSON', raw(`{"ex_wallet":"${wallet}","private_key":"${key}`));
    await note('broken JSON', raw(`{"private_key":${key}}`));
    await note('a list', raw(`["${key}"]`));
    await note('members in exchange', partner.post('/v1/sessions', { ex_wallet: key, private_key: wallet }));
    await note('an unknown member', partner.post('/v1/sessions', { ex_wallet: wallet, private_key: key, extra: key }));
    await note('a path', partner.get(`/v1/sessions/${key}`));
    await note('a path', partner.delete(`${ORDERS}/${key}`, { headers: { 'Trader-ID': wallet } }));
    await note('a header', partner.get(ORDERS, { headers: { 'Trader-ID': key } }));
    await note('a query', partner.get(`/v1/sessions?private_key=${key}`));
    await note('no route', partner.get(`/v1/${key}`));
    await note('an order', partner.post(ORDERS, { ...market, pair: key }, { headers: { 'Trader-ID': wallet } }));
  }

  /**
   * A seal that does not open, and one that opens to the key of another signer: the task throws, and the log reports
   * it.
   */
  async function failToSign(): Promise<void> {
    const [broken, swapped] = [await trader('sealed and broken'), await trader('sealed for another')];
    await service.db.query(sql.unsafe`
      update signing_keys set sealed = sealed || '\\x00'::bytea where ex_wallet = ${broken.wallet}`);
    await service.db.query(sql.unsafe`
      update signing_keys set signer = ${`0x${'1'.repeat(40)}`} where ex_wallet = ${swapped.wallet}`);
    await order(broken, market, 'wait=0');
    await order(swapped, market, 'wait=0');
    await until('both to be logged', () => service.log.lines.filter(({ msg }) => msg === 'task threw').length >= 2);
  }

  it('were all used: two are still sealed in their columns, those of ended enrollments are wiped', async () => {
    const keys = await service.db.any(
      sql.type(
        z.object({
          id: z.string(),
          ex_wallet: z.string(),
          sealed: z.instanceof(Buffer).nullable(),
          retired: z.boolean(),
        }),
      )`select id, ex_wallet, sealed, retired_at is not null as retired from signing_keys order by created_at`,
    );
    const { open } = sealer(String(service.settings.SEALING_KEYS));
    const opened = keys.map(
      ({ id, sealed }) => sealed && attempt(() => open(sealed, keySealContext(id)).toString('hex')),
    );

    expect(opened).to.include((canaries.get('rotated in') ?? '').slice(2));
    expect(opened).to.include((canaries.get('sealed for another') ?? '').slice(2));
    expect(opened[0], 'the first enrollment was revoked').to.equal(null);
    expect(keys.filter(({ retired }) => retired)).to.have.length.of.at.least(3);
  });

  it('appear in no value of the database, job, log line or response, in no spelling', async () => {
    const haystacks = [
      ...(await everythingIn(String(service.settings.DATABASE_URL))),
      ...responses,
      ...logged(service),
    ];
    const leaks = [...canaries].flatMap(([name, key]) =>
      findLeaks(formsOf(key.slice(2)), haystacks).map((leak) => ({ name, ...leak })),
    );

    const jobs = haystacks.filter(({ where }) => where === 'public.jobs_seen.payload').length;
    console.log(
      `      ${canaries.size} keys, ${formsOf('0'.repeat(64)).length} spellings; ${haystacks.length} texts, ` +
        `of them ${jobs} job payloads, ${service.log.lines.length} log lines, ${responses.length} responses`,
    );
    expect(jobs).to.be.greaterThan(20);
    expect(leaks).to.deep.equal([]);
  });

  it('would be found: planted in every spelling, in text, JSON, bytes, a log line and a response', async () => {
    const key = generatePrivateKey().slice(2);
    const forms = formsOf(key);
    const url = String(service.settings.DATABASE_URL);
    await service.db.query(sql.unsafe`create table planted (what text, within jsonb, raw bytea)`);

    expect(findLeaks(forms, [...(await everythingIn(url)), ...logged(service)])).to.deep.equal([]);
    for (const [name, spelt] of spellings(key)) {
      const planted = Buffer.from(`before ${spelt} after`, 'latin1');
      const within = JSON.stringify({ deep: [spelt] });
      await service.db.query(sql.unsafe`
        insert into planted (what, within, raw)
        values (${name === 'raw' ? '' : spelt}, ${name === 'raw' ? '{}' : within}::jsonb, ${sql.binary(planted)})`);
      const found = new Set(findLeaks(forms, await everythingIn(url)).map(({ where }) => where));
      expect([...found], name).to.include('public.planted.raw');
      if (name !== 'raw') expect([...found], name).to.include.members(['public.planted.what', 'public.planted.within']);
      await service.db.query(sql.unsafe`delete from planted`);
    }
    service.log.logger.warn({ err: new Error(`signed with 0x${key}`) }, 'planted');
    expect(findLeaks(forms, logged(service))).to.not.be.empty;
    expect(findLeaks(forms, [{ where: 'response', text: JSON.stringify({ key: `0x${key.toUpperCase()}` }) }])).to.not.be
      .empty;
  });
});

/** Plausible spellings of a key, built without the forms that the search uses. */
function spellings(key: string): [string, string][] {
  const bytes = Buffer.from(key, 'hex');
  return [
    ['plain', key],
    ['0x', `0x${key}`],
    ['upper', `0X${key.toUpperCase()}`],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64url')],
    ['URL-encoded base64', encodeURIComponent(bytes.toString('base64'))],
    ['base64 of the text', btoa(`0x${key}`)],
    ['base64 of JSON', btoa(JSON.stringify({ private_key: key }))],
    ['base64 of JSON, moved on', btoa(JSON.stringify({ private_keys: [`0x${key}`] }))],
    ['bytes of a Buffer', JSON.stringify(bytes)],
    ['number', BigInt(`0x${key}`).toString()],
    ['percent', key.replace(/../g, '%$&')],
    ['raw', bytes.toString('latin1')],
  ];
}

/** Jobs are deleted when they are done, so this keeps a copy of every payload. */
async function keepJobs({ db }: TestService): Promise<void> {
  await db.query(sql.unsafe`create table jobs_seen (payload text)`);
  await db.query(sql.unsafe`
    create function see_job() returns trigger language plpgsql security definer as $$
    begin
      insert into public.jobs_seen select to_jsonb(new)::text;
      return new;
    end $$`);
  await db.query(sql.unsafe`
    create trigger see_job after insert or update on ${sql.identifier(await findQueueTable(db, 'payload'))} for each row execute function see_job()`);
}

const logged = ({ log }: TestService): Haystack[] =>
  log.lines.map((line) => ({ where: `log: ${line.msg ?? line.operation ?? line.task}`, text: JSON.stringify(line) }));

function attempt<T>(read: () => T): T | 'unreadable' {
  try {
    return read();
  } catch {
    return 'unreadable';
  }
}
