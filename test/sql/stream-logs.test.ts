import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { hasEvent, listEvents } from '../../src/capabilities/events/queries.ts';
import { findEventAt, partnerLogs } from '../../src/capabilities/events/stream/queries.ts';
import type { EventLogs } from '../../src/capabilities/streams/logs.ts';
import { issueTicket, ticketFinder } from '../../src/capabilities/streams/tickets/commands.ts';
import { accountLogs } from '../../src/capabilities/trading/stream/commands.ts';
import type { OwnerId, PartnerId, PropAccountId } from '../../src/kernel/ids.ts';
import { OTHER, openRows, PARTNER, type Rows } from '../support/rows.ts';

const ENDED = 'of the past' as PropAccountId;
const NAMES = { partner: [PARTNER, OTHER], account: ['prop_mine', 'prop_other'] };

describe('a log that is streamed', () => {
  let rows: Rows;
  const run: Rows['run'] = (...args) => rows.run(...args);
  before(async () => {
    rows = await openRows();
    await run(`insert into partners (id, name) values ($1, 'mine'), ($2, 'other')`, PARTNER, OTHER);
    for (const [mine, other] of [NAMES.account])
      for (const account of [mine, mine, mine, mine, other, other])
        await run(`select record_account_event($1, 'account', '{}')`, String(account));
    for (const partner of [PARTNER, PARTNER, PARTNER, PARTNER, OTHER, OTHER])
      await run(`select record_event($1, 'order.updated', '{}')`, partner);
    await run(`delete from account_events where prop_account_id = 'prop_mine' and position <= 2`);
    await run(`delete from events where owner = $1 and position <= 2`, PARTNER);
  });
  after(() => rows.close());

  for (const kind of ['partner', 'account'] as const) {
    const [mine = '', other = ''] = NAMES[kind];
    const logs = (): EventLogs => (kind === 'partner' ? partnerLogs : accountLogs)(rows.db);

    it(`of a ${kind} is read after a position, in parts, and without events of another`, async () => {
      const readAfter = async (position: number, most = 10) =>
        (await logs().list(mine, position, most)).map((event) => event.position);

      expect([await readAfter(0), await readAfter(3), await readAfter(4), await readAfter(0, 1)]).to.deep.equal([
        [3, 4],
        [4],
        [],
        [3],
      ]);
      expect((await logs().list(other, 0, 10)).map((event) => event.position)).to.deep.equal([1, 2]);
    });

    it(`of a ${kind} has its own end, and is whole after what is left of it`, async () => {
      const whole = [];
      for (const position of [0, 1, 2, 3, 4, 5]) whole.push((await logs().end(mine, position)).is_whole);

      expect(whole).to.deep.equal([false, false, true, true, true, false]);
      expect((await logs().end(mine, 0)).last_position).to.equal(4);
      expect(await logs().end('nobody', 0)).to.deep.equal({ last_position: 0, is_whole: true });
      expect(await logs().ends([other, 'nobody'])).to.deep.equal([{ subject: other, last_position: 2 }]);
    });
  }

  it('of a partner is not whole where an old event is left whose delivery waits, and later ones are deleted', async () => {
    const partner = 'ptn_waiting';
    await run(`insert into partners (id, name) values ($1, 'waiting')`, partner);
    await run(`select record_event($1, t, '{}') from unnest(array['a', 'b', 'a', 'b']) t`, partner);
    await run(
      `update events set created_at = now() - interval '40 days', id = sortable_id('evt', now() - interval '40 days')
       where owner = $1 and position <= 3`,
      partner,
    );
    await run(
      `insert into webhook_endpoints (id, owner, url, events) values ('whe_w', $1, 'https://w.example', '{b}')`,
      partner,
    );
    await run(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id)
       select 'whd_w', $1, 'whe_w', id from events where owner = $1 and position = 2`,
      partner,
    );
    const isWhole = async (after: number) => (await partnerLogs(rows.db).end(partner, after)).is_whole;

    expect([await isWhole(0), await isWhole(1), await isWhole(3)]).to.deep.equal([true, true, true]);
    await run(`select expire_events(30 * 86400, 100, '')`);

    expect((await partnerLogs(rows.db).list(partner, 0, 10)).map(({ position }) => position)).to.deep.equal([2, 4]);
    expect([await isWhole(0), await isWhole(1), await isWhole(2), await isWhole(3)]).to.deep.equal([
      false,
      false,
      false,
      true,
    ]);
  });

  it('of a partner names the event at a position', async () => {
    const at = (partner: OwnerId, position: number) => findEventAt(rows.db, partner as PartnerId, position); // as: both are partners

    expect(await at(PARTNER, 1)).to.equal(null);
    expect(await at(OTHER, 1))
      .to.be.a('string')
      .and.not.equal(await at(OTHER, 2));
  });

  it('of a partner knows no event of another', async () => {
    const foreign = await findEventAt(rows.db, OTHER as PartnerId, 2); // as: a partner's
    const own = await findEventAt(rows.db, PARTNER as PartnerId, 3); // as: the same
    const countAfter = async (partner: OwnerId, after: string | null) =>
      (await listEvents(rows.db, partner, { after, limit: 10 })).length;

    expect(await hasEvent(rows.db, PARTNER, String(foreign))).to.equal(false);
    expect(await hasEvent(rows.db, PARTNER, String(own))).to.equal(true);
    expect([await countAfter(PARTNER, null), await countAfter(PARTNER, own)]).to.deep.equal([2, 1]);
    expect([await countAfter(OTHER, null), await countAfter(OTHER, own)]).to.deep.equal([2, 2]);
  });

  it('of a partner ends with the key: one that is revoked or at the end of its overlap, or whose partner is disabled', async () => {
    await run(`insert into partners (id, name, disabled_at) values ('ptn_off', 'off', now())`);
    await run(
      `insert into partner_keys (id, partner_id, digest, hint, revoked_at, expires_at) values
         ('live', $1, 'live', '', null, null), ('revoked', $1, 'revoked', '', now(), null), ('off', 'ptn_off', 'off', '', null, null),
         ('overlapping', $1, 'overlapping', '', null, now() + interval '1 minute'), ('ended', $1, 'ended', '', null, now())`,
      PARTNER,
    );

    const invalid = await partnerLogs(rows.db).invalid(['live', 'overlapping', 'revoked', 'ended', 'off', 'unknown']);

    expect(invalid).to.have.members(['revoked', 'ended', 'off', 'unknown']);
  });

  it('of an account has its positions polled while somebody listens, and once no more than it is due', async () => {
    await run(
      `insert into account_watches (prop_account_id, listened_until, reconciled_at) values
         ('fresh', now() + interval '1 hour', now()),
         ('left', now() - interval '1 minute', now()),
         ('stale', now() + interval '1 minute', now() - interval '1 hour')`,
    );

    await accountLogs(rows.db).listen(['fresh', 'left', 'stale', 'new']);
    const watched = await rows.db.any(sql.type(z.object({ id: z.string(), minutes: z.number() }))`
      select w.prop_account_id as id, round(extract(epoch from w.listened_until - now()) / 60)::integer as minutes
      from account_watches w order by 1`);
    const jobs = await rows.db.manyFirst(sql.type(z.object({ id: z.string() }))`
      select j.payload ->> 'prop_account_id' as id from queue_jobs j order by 1`);

    expect(watched).to.deep.equal([
      { id: 'fresh', minutes: 60 },
      ...['left', 'new', 'stale'].map((id) => ({ id, minutes: 1 })),
    ]);
    expect(jobs).to.deep.equal(['left', 'new', 'stale']);
  });

  it('of a locked account delays the polls of no other, and is waited for when it is opened', async () => {
    const [held, free] = ['held', 'free'];
    const lease = () => accountLogs(rows.db).listen([held, free]);
    const leased = async () =>
      (await rows.db.anyFirst(sql.type(z.object({ id: z.string() }))`
        select w.prop_account_id as id from account_watches w
        where w.prop_account_id in (${held}, ${free}) and w.listened_until > now() order by 1`)) as string[];
    await lease();
    await run(`update account_watches set listened_until = now()`);
    const other = new Client({ connectionString: rows.url });
    await other.connect();
    await other.query(`begin; select from account_watches where prop_account_id = 'held' for no key update`);

    await lease();
    const beside = await leased();
    const opening = accountLogs(rows.db).listen([held]);
    await other.query(`select pg_sleep(0.2)`);
    const meanwhile = await leased();
    await other.query('commit');
    await other.end();
    await opening;

    expect([beside, meanwhile, await leased()]).to.deep.equal([[free], [free], [free, held]]);
  });

  it('opens by a ticket of its own kind, once, before it expires, while what it was issued with is valid', async () => {
    await run(`insert into apps (id, slug, name, allowed_scopes) values ('app', 'app', 'app', '{trading}')`);
    await run(`insert into users (id, app_id, email, password_salt) values ('ann', 'app', 'ann@x', 'x')`);
    await run(
      `insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_x', 'm', 'crypto', 1, 0)`,
    );
    await run(
      `insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status)
       values ($1, 'app', 'ann', 'tier_x', 'm', 'crypto', 1, 'provisioning')`,
      ENDED,
    );
    const invalid = async (credentials: string[]) => credentials.filter((id) => id === 'ended');
    const find = (kind: 'partner' | 'account', ticket: string) => ticketFinder(rows.db, kind, { invalid })(ticket);
    const issue = async (credential: string, propAccountId: PropAccountId | null) =>
      (await issueTicket(rows.db, { owner: PARTNER, caller: 'c', credentials: [credential], propAccountId })).ticket;
    const [partners, accounts, ended, old] = [
      await issue('live', null),
      await issue('live', ENDED),
      await issue('ended', null),
      await issue('live', null),
    ];

    const found = [
      await find('account', partners),
      await find('partner', accounts),
      await find('partner', ended),
      (await find('partner', partners))?.propAccountId,
      await find('partner', partners),
    ];
    const opened = await find('account', accounts);
    await run(`update stream_tickets set expires_at = now()`);

    expect(accounts).to.match(/^stk_[\w-]{43}$/);
    expect(found).to.deep.equal([null, null, null, null, null]);
    expect(opened).to.deep.include({ kind: 'ticket', owner: PARTNER, credentials: ['live'], propAccountId: ENDED });
    expect(await find('partner', old)).to.equal(null);
  });
});
