import { expect } from 'chai';
import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { readConfig } from '../../src/config.ts';
import { sealedColumns } from '../../src/db/reseal.ts';
import { newSealingKey, sealer } from '../../src/kernel/seal.ts';
import { startWeb } from '../../src/runtime/web-process.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { signature } from '../../src/sandbox/processor/notifier.ts';
import { type Caller, caller, type Reply } from '../support/caller.ts';
import { startIdentity } from '../support/identity.ts';
import { checkOut, eventually, PROCESSOR, raw, startMoney, WEBHOOK } from '../support/money.ts';
import { expectProblem } from '../support/problem.ts';
import { startScript } from '../support/processes.ts';
import { expectRejected } from '../support/rejected.ts';
import { logLines, startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
/** A key that was revoked works for so long in a process that has not heard of it yet. */
const REMEMBERED_MS = 1_000;
const order = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market' };

describe('key rotation while the service runs', () => {
  it('of a partner: two keys are valid at once, and a revoked one is rejected within a second in every web process', async () => {
    const service = await startIdentity({}, false);
    const second = await startWeb(webConfig(service), logLines().logger);
    const operator = await service.admin();
    const { partner_id, key: firstKey } = await createPartner(service.db, 'Turning');
    const responses = (key: string) =>
      Promise.all([service.url, second.url].map((url) => caller(url, key).get('/v1/sessions')));
    const statuses = async (key: string) => (await responses(key)).map(({ status }) => status);
    /** The responses once all of them are rejections, or those after the time for which a key is remembered. */
    const rejected = async (ask: () => Promise<Reply[]>) => {
      const untilMs = Date.now() + REMEMBERED_MS;
      let replies = await ask();
      while (Date.now() < untilMs && replies.some(({ status }) => status < 400)) replies = await ask();
      return replies;
    };
    const keys = `/v2/admin/partners/${partner_id}/keys`;

    const { body: minted } = await operator.ask('POST', keys, { json: { label: 'second' } });
    const together = [...(await statuses(firstKey)), ...(await statuses(minted.key))];
    const listed = await operator.ask('GET', keys);
    const old = listed.body.find(({ key_id }: { key_id: string }) => key_id !== minted.key_id);
    const revoked = await operator.ask('DELETE', `/v2/admin/partner-keys/${old.key_id}`);
    const after = await rejected(() => responses(firstKey));
    const newOnes = await statuses(minted.key);
    await second.stop();
    await service.stop();

    expect(together).to.deep.equal([200, 200, 200, 200]);
    expect(revoked.status).to.equal(200);
    for (const reply of after) expectProblem(reply, 'V1_KEY_INVALID');
    expect(newOnes).to.deep.equal([200, 200]);
  });

  it('of the sealing keys: one is added and put first, values are resealed while orders run, and the old one is removed', async () => {
    const [oldKey, newKey] = [newSealingKey(), newSealingKey()];
    const service = await startService({ worker: false, settings: { SEALING_KEYS: oldKey } });
    const only = await startTwo(service, oldKey);
    const before = await service.wallet();
    const placed = [await before.post(ORDERS, order)];

    const known = await startTwo(service, `${oldKey},${newKey}`);
    await only.stop();
    const first = await startTwo(service, `${newKey},${oldKey}`);
    const wallets = [before, await enroll(service, known.url), await enroll(service, first.url)];
    const ordersOfAll = () => Promise.all(wallets.map((wallet) => wallet.post(ORDERS, order))); // to either worker
    for (let round = 0; round < 3; round++) placed.push(...(await ordersOfAll()));
    await known.stop();
    let sealing = true;
    const flowing = (async () => {
      const under: typeof placed = [];
      while (sealing) under.push(...(await ordersOfAll()));
      return under;
    })();
    const early = await reseal(service, `${newKey},${oldKey}`).catch((error) => error.message);
    await service.runtime.fleet.leave(); // from here on it only passes requests on
    await reseal(service, `${newKey},${oldKey}`);
    sealing = false;
    const underReseal = await flowing;

    const last = await startTwo(service, newKey);
    await first.stop();
    const after = await Promise.all(
      wallets.map(({ key, wallet }) => caller(last.url, key, { 'Trader-ID': wallet }).post(ORDERS, order)),
    );
    const stale = await sealedUnderOthers(service, newKey);
    await last.stop();
    await service.stop();

    const bad = [...placed, ...underReseal, ...after].filter(({ status }) => status !== 200);
    expect(bad.map(({ body }) => body)).to.deep.equal([]);
    expect(underReseal.length).to.be.above(0);
    expect(early).to.match(/Nothing was resealed: web \S+ would go on sealing with another key/);
    expect([only, known, first, last].flatMap(({ thrown }) => thrown())).to.deep.equal([]);
    expect(stale).to.deep.equal([]);
  }).timeout(60_000);

  it('of the processor’s secret: the old and the new one are both accepted, and no other', async () => {
    const secret = 'whsec_the_new_one';
    const both = { PROCESSOR_WEBHOOK_SECRET: `${secret}, ${PROCESSOR.notificationSecret}` };
    const service = await startMoney({ notified: false, settings: both });
    const { processor_payment_intent_id: id } = await checkOut(service.buyer.ask);
    await service.control('payment', { id, to: 'succeeded' });
    const body = await eventually(async () => {
      const event = service.processor.events.find(({ type }) => type === 'payment_intent.succeeded');
      return event && JSON.stringify(event);
    });
    const alone = await startWeb(webConfig(service, { PROCESSOR_WEBHOOK_SECRET: secret }), logLines().logger);
    const write = (url: string, by: string) => raw(url + WEBHOOK, body, signature(by, body));

    const taken = [
      await write(service.url, PROCESSOR.notificationSecret),
      await write(service.url, secret),
      await write(alone.url, secret),
    ];
    const rejected = [await write(service.url, 'whsec_another'), await write(alone.url, PROCESSOR.notificationSecret)];
    await alone.stop();
    await service.stop();

    expect(taken.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    for (const reply of rejected) expectRejected(reply, 'V2_SIGNATURE_INVALID');
  });
});

const webConfig = (service: TestService, more: Record<string, string> = {}) =>
  readConfig({ ...service.settings, PORT: '0', ...more });

/** A web and a worker process on the same database, with their own key ring. */
async function startTwo(service: TestService, ring: string) {
  const config = webConfig(service, { SEALING_KEYS: ring });
  const { logger, lines } = logLines();
  const web = await startWeb(config, logger);
  const worker = await startWorker(config, logger);
  return {
    url: web.url,
    /** Errors thrown by tasks, as they were logged. */
    thrown: () => lines.filter(({ level }) => Number(level) >= 50),
    async stop() {
      await web.stop();
      await worker.stop();
    },
  };
}

/** A new wallet, enrolled by this web process and sealed under its first key. */
async function enroll(service: TestService, url: string): Promise<Caller & { wallet: string }> {
  const { key } = await service.partner();
  const private_key = generatePrivateKey();
  const wallet = privateKeyToAddress(private_key).toLowerCase();
  const trader = caller(service.url, key, { 'Trader-ID': wallet });
  const { status, body } = await caller(url, key).post('/v1/sessions', { ex_wallet: wallet, private_key });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { ...trader, wallet };
}

async function reseal({ settings }: TestService, ring: string): Promise<void> {
  const script = startScript('src/commands/reseal.ts', { ...settings, SEALING_KEYS: ring });
  const { code } = await script.exited;
  if (code !== 0) throw new Error(script.lines.join('\n'));
}

/** Columns that still hold a value sealed under another key. */
async function sealedUnderOthers(service: TestService, key: string): Promise<string[]> {
  const client = new Client({ connectionString: service.settings.DATABASE_URL });
  await client.connect();
  const stale: string[] = [];
  for (const { table, column } of sealedColumns) {
    const { rows } = await client.query(`select ${column} as sealed from ${table} where ${column} is not null`);
    if (rows.some(({ sealed }) => sealer(key).needsReseal(sealed))) stale.push(`${table}.${column}`);
  }
  await client.end();
  return stale;
}
