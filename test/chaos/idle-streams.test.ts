import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { eventually } from '../support/money.ts';
import { startWebProcess } from '../support/processes.ts';
import { type Reader, readStream } from '../support/stream.ts';
import { startTrading, TRADING, type Trading } from '../support/trading.ts';

/** Streams held open; the suite holds only a few. */
const STREAMS = Number(process.env.IDLE_STREAMS ?? 300);
const PER_ACCOUNT = 10;
const MOST_MB = 300;

describe('idle streams', function () {
  this.timeout(60_000 + STREAMS * 50);
  let service: Trading;
  before(async () => {
    service = await startTrading({ settings: { TRADING_WATCH_MS: '60000' } });
  });
  after(() => service.stop());

  it(`${STREAMS} of them on one web process stay below ${MOST_MB} MB and all receive an event`, async () => {
    const accounts = await makeAccounts(Math.ceil(STREAMS / PER_ACCOUNT));
    const web = await startWebProcess({
      ...service.settings,
      PORT: '0',
      LOG_LEVEL: 'info',
      VALIDATE_RESPONSES: 'false',
    });
    const memory = () => residentMb(web.pid);
    const readers: Reader[] = [];
    const before = await memory();

    for (let n = 0; n < STREAMS; n += 50) {
      const some = Array.from({ length: Math.min(50, STREAMS - n) }, (_, m) =>
        readStream(`${web.url}${TRADING}/stream`, {
          Authorization: `Bearer ${service.tenant.token}`,
          'X-Prop-Account': String(accounts[Math.floor((n + m) / PER_ACCOUNT)]),
        }),
      );
      readers.push(...(await Promise.all(some)));
    }
    await eventually(async () => readers.every(({ events }) => events.length > 0), 20_000);
    const full = await memory();
    const startedAt = performance.now();
    await service.db.query(
      sql.unsafe`
        select move_prop_account(a.id, a.status, 'funded', null)
        from prop_accounts a
        where a.id = any(${sql.array(accounts, 'text')})`,
    );
    await eventually(async () => readers.every(({ events }) => events.some(({ type }) => type === 'account')), 20_000);
    const reportedMs = performance.now() - startedAt;
    web.kill('SIGTERM');
    const { code } = await web.exited;

    console.log(
      `      ${STREAMS} streams: ${before.toFixed(0)} MB before, ${full.toFixed(0)} MB with them; all received an event within ${reportedMs.toFixed(0)} ms`,
    );
    expect(readers.map(({ status }) => status)).to.deep.equal(Array(STREAMS).fill(200));
    expect(full).to.be.below(MOST_MB);
    expect(code).to.equal(0);
    expect(readers.every((reader) => reader.ended())).to.equal(true);
  });

  /** Prop accounts of one user, each with its own subaccount, created without a request each. */
  async function makeAccounts(count: number): Promise<string[]> {
    const ids = service.miner.addSubaccounts(count, { active: true });
    const rows = await service.db.any(sql.type(z.object({ id: z.string() }))`
      with made as (
        insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
        select ${service.settings.NETVENUE_ENTITY_HOTKEY ?? ''} || '_' || s.id, ${service.settings.NETVENUE_ENTITY_HOTKEY ?? ''}, s.id,
          ${service.tenant.appId}, gen_random_uuid(), 'crypto', 10000, 'active'
        from unnest(${sql.array(ids, 'int4')}) as s (id)
        returning synthetic_hotkey
      ), paid as (
        insert into payments (id, owner, user_id, tier_id, market, asset_class, account_size, amount_cents, currency, intent_id)
        select 'pay_' || m.synthetic_hotkey, ${service.tenant.appId}, ${service.buyer.userId}, t.id, t.market, t.asset_class, t.account_size,
          100, 'usd', gen_random_uuid()
        from made m
        cross join (select * from tiers limit 1) t
        returning id, tier_id, market
      )
      insert into prop_accounts (id, owner, user_id, tier_id, payment_id, market, asset_class, account_size, status, synthetic_hotkey)
      select 'prop_' || m.synthetic_hotkey, ${service.tenant.appId}, ${service.buyer.userId}, p.tier_id, p.id, p.market, 'crypto', 10000,
        'evaluation', m.synthetic_hotkey
      from made m
      join paid p on p.id = 'pay_' || m.synthetic_hotkey
      returning id`);
    return rows.map(({ id }) => id);
  }
});

/** The memory of the process, in MB. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
