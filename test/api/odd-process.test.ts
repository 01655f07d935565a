import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { startWeb } from '../../src/runtime/web-process.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { runProgram, until } from '../support/processes.ts';
import { logLines, startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const RESTING = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };
const LONGER_THAN_A_RUNNER_STARTS_MS = 2_000;

describe('a process that differs from the others', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const configWith = (settings: Record<string, string>) => readConfig({ ...service.settings, ...settings });
  /** The failed checks of a web process once it listens. */
  const settled = ({ runtime }: Pick<TestService, 'runtime'>) =>
    until('it to listen', async () => {
      const checks = await runtime.readiness.failing();
      return checks.includes('listening') ? null : checks;
    });
  /** The failed checks of the service once there is a value for `sealing`: an older result, kept for a second, makes none. */
  const sealedCheck = () =>
    until('the service to have made its check of keys', async () => {
      const checks = await settled(service);
      return (await service.db.exists(sql.unsafe`select 1 from seal_checks`)) ? checks : null;
    });
  /** Definitions that the next release would apply. */
  const changed = () =>
    service.db.oneFirst(
      sql.type(z.object({ n: z.number() }))`select count(*) as n from definitions where sha256 = repeat('0', 64)`,
    );
  const members = () =>
    service.db.any(sql.type(z.object({ kind: z.string(), paused: z.array(z.string()), serves: z.array(z.string()) }))`
      select p.kind, p.paused, p.serves from processes p order by p.kind, p.started_at`);

  it('with a wrong miner key rejects no order: it leaves them to the others, and says so', async () => {
    const trader = await service.trader();
    const metrics = openMetrics();
    const wrong = await startWorker(configWith({ NETVENUE_MINER_KEY: 'wrong' }), logLines().logger, metrics);
    await until(
      'both to be members',
      async () => (await members()).filter(({ kind }) => kind === 'worker').length === 2,
    );

    const replies = [];
    for (let n = 0; n < 24; n++) replies.push(await trader.post(ORDERS, market({ leverage: 0.001 })));
    const scraped = await metrics.scrape();
    await wrong.stop();

    expect(replies.map(({ status }) => status)).to.deep.equal(Array(24).fill(200));
    expect(scraped).to.match(/tps_upstream_paused\{upstream="netvenue"\} 1/);
    expect(scraped, 'others do its work').to.match(
      /tps_upstream_auth_rejections_total\{upstream="netvenue",others="serve"\} [1-9]/,
    );
    expect(scraped).to.match(/tps_upstream_auth_rejections_total\{upstream="netvenue",others="none"\} 0/);
  });

  it('rejects what no other process can send either', async () => {
    const lonely = await startService({ settings: { NETVENUE_MINER_KEY: 'wrong' } });
    const partner = await lonely.partner();

    const reply = await partner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 1_000 });
    const scraped = await lonely.runtime.metrics.scrape();
    await lonely.stop();

    expect([reply.status, reply.body.error?.code]).to.deep.equal([502, 'VENUE_AUTH']);
    expect(scraped, 'it is not left to others').to.match(/tps_upstream_paused\{upstream="netvenue"\} 0/);
    expect(scraped).to.match(/tps_upstream_auth_rejections_total\{upstream="netvenue",others="none"\} [1-9]/);
  });

  it('with a wrong validator key is not ready as web, once that has rejected it: others read there', async () => {
    const trader = await service.trader();
    const wrong = await startWeb(configWith({ NETVENUE_VALIDATOR_KEY: 'wrong' }), logLines().logger);
    await settled(wrong);

    await caller(wrong.url, trader.key, { 'Trader-ID': trader.traderId }).get('/v1/positions/netvenue');
    const checks = await until('a failed check', async () => {
      const failing = await wrong.runtime.readiness.failing();
      return failing.length > 0 ? failing : null;
    });
    const others = await settled(service);
    await wrong.stop();

    expect([checks, others]).to.deep.equal([['credentials'], []]);
  });

  it('without a connection on which it can listen is not ready as web', async () => {
    const deaf = await startWeb(
      configWith({ DATABASE_DIRECT_URL: 'postgres://nobody@127.0.0.1:1/nowhere' }),
      logLines().logger,
    );

    const checks = await deaf.runtime.readiness.failing();
    await deaf.stop();

    expect(checks).to.deep.equal(['listening']);
  });

  it('with other sealing keys is not ready, whichever came first', async () => {
    await sealedCheck();
    const keys = `other:${Buffer.alloc(32, 'other').toString('base64')}`;
    const odd = await startWeb(configWith({ SEALING_KEYS: keys }), logLines().logger);

    const after = await settled(odd);
    await odd.stop();
    await service.wallet(); // its key is sealed
    await service.db.query(sql.unsafe`delete from seal_checks`);
    const first = await startWeb(configWith({ SEALING_KEYS: keys }), logLines().logger);
    const before = await settled(first);
    const others = await sealedCheck();
    await first.stop();

    expect([after, before, others]).to.deep.equal([['sealing'], ['sealing'], []]);
  });

  it('with other sealing keys runs no job as worker: the others do all the work', async () => {
    await sealedCheck();
    const wallets = await Promise.all(Array.from({ length: 12 }, () => service.wallet()));
    const keys = `other:${Buffer.alloc(32, 'other').toString('base64')}`;
    const lines = logLines();
    const odd = await startWorker(configWith({ SEALING_KEYS: keys }), lines.logger);
    await sleep(LONGER_THAN_A_RUNNER_STARTS_MS);

    const replies = await Promise.all(wallets.map((wallet) => wallet.post('/v1/orders/exvenue', RESTING)));
    await odd.stop();

    expect(replies.map(({ status }) => status)).to.deep.equal(Array(12).fill(200));
    expect(lines.lines.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
    expect(lines.lines.map(({ msg }) => msg)).to.include('no job runs: SEALING_KEYS are not those of the others');
  });

  it('with other sealing keys is not released: nothing is migrated, and the error says what to do', async () => {
    await sealedCheck();
    const keys = `other:${Buffer.alloc(32, 'other').toString('base64')}`;
    const release = (SEALING_KEYS: string) => runProgram('release', { ...service.settings, SEALING_KEYS });
    await service.db.query(sql.unsafe`update definitions set sha256 = repeat('0', 64) where name = 'is_outbound'`);

    const other = await release(keys);
    const untouched = await changed();
    const both = await release(`${keys},${service.settings.SEALING_KEYS}`);

    expect([other.code, both.code]).to.deep.equal([1, 0]);
    expect(other.lines.join('\n')).to.match(/Setting SEALING_KEYS: none of these keys opens what this database seals/);
    expect([untouched, await changed()]).to.deep.equal([1, 0]);
  });

  it('without a key that has signed receipts, or with another one under its id, is not released', async () => {
    const key = (id: string, of: string) => `${id}:${Buffer.alloc(32, of).toString('base64')}`;
    const [own, next] = [String(service.settings.AGREEMENT_KEYS), key('next', 'next')];
    const release = (AGREEMENT_KEYS: string) => runProgram('release', { ...service.settings, AGREEMENT_KEYS });
    const first = await release(own);
    await service.db.query(sql.unsafe`update definitions set sha256 = repeat('0', 64) where name = 'is_outbound'`);

    const without = await release(next);
    const namesake = await release(key(String(own.split(':')[0]), 'other'));
    const untouched = await changed();
    const both = await release(`${next},${own}`);
    const rotated = await release(own);

    expect([first, without, namesake, both, rotated].map(({ code }) => code)).to.deep.equal([0, 1, 1, 0, 1]);
    for (const { lines } of [without, namesake])
      expect(lines.join('\n')).to.match(/Setting AGREEMENT_KEYS: the key test has signed receipts/);
    expect(rotated.lines.join('\n')).to.match(/the key next has signed receipts/);
    expect([untouched, await changed()]).to.deep.equal([1, 0]);
  });

  it('that was started with another key of receipts, without a release, says so by an alert', async () => {
    const { lines, logger } = logLines();
    const keys = `restarted:${Buffer.alloc(32, 'restarted').toString('base64')}`;

    const web = await startWeb(configWith({ AGREEMENT_KEYS: keys }), logger);
    const told = await until('the alert', async () => lines.find(({ alert }) => alert === 'agreement_key_missing'));
    await web.stop();

    expect(told).to.include({ level: 50 });
    expect(told?.msg).to.match(/^Setting AGREEMENT_KEYS: the key (test|next) has signed receipts/);
  });

  it('with both keys, as during a rotation, is ready', async () => {
    const added = `new:${Buffer.alloc(32, 'new').toString('base64')}`;
    const both = await startWeb(
      configWith({ SEALING_KEYS: `${added},${service.settings.SEALING_KEYS}` }),
      logLines().logger,
    );

    const checks = await settled(both);
    await both.stop();

    expect(checks).to.deep.equal([]);
  });

  it('is ready and answers alike whatever parameters its role has in the database', async () => {
    const name = await service.db.oneFirst(
      sql.type(z.object({ name: z.string() }))`select current_database()::text as name`,
    );
    const parameters = {
      DateStyle: 'SQL, DMY',
      IntervalStyle: 'sql_standard',
      TimeZone: 'Asia/Kolkata',
      bytea_output: 'escape',
      default_transaction_isolation: 'serializable',
      search_path: 'pg_catalog',
    };
    const database = sql.identifier([name]);
    for (const [parameter, value] of Object.entries(parameters))
      await service.db.query(
        sql.unsafe`alter database ${database} set ${sql.identifier([parameter])} = ${sql.literalValue(value)}`,
      );
    const web = await startWeb(configWith({}), logLines().logger);
    const worker = await startWorker(configWith({}), logLines().logger);
    const trader = await service.trader();
    const there = caller(web.url, trader.key, { 'Trader-ID': trader.traderId });

    const replies = [];
    for (let n = 0; n < 12; n++) replies.push(await there.post(ORDERS, market({ leverage: 0.001 })));
    const checks = await settled(web);
    await web.stop();
    await worker.stop();
    for (const parameter of Object.keys(parameters))
      await service.db.query(sql.unsafe`alter database ${database} reset ${sql.identifier([parameter])}`);

    expect(replies.map(({ status }) => status)).to.deep.equal(Array(12).fill(200));
    expect(checks).to.deep.equal([]);
  });

  it('is forgotten when it stops', async () => {
    const before = (await members()).length;
    const web = await startWeb(configWith({}), logLines().logger);
    await until('it to be a member', async () => (await members()).length === before + 1);

    await web.stop();

    expect(await members()).to.have.length(before);
  });
});
