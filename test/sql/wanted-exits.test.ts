import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { faultOf } from '../support/stream-schemas.ts';

const TRADER = 'e_1';
const PAIR = 'BTCUSDC';
const LEGS = ['take_profit', 'stop_loss', 'trailing_stop'];
const stop = (stop_loss: string, more = {}) => [
  { take_profit: null, stop_loss, trailing_stop: null, size: null, ...more },
];

type ExitsRow = {
  wanted: { order_uuid: string; stop_loss: string; owner: string }[];
  version: number;
  due_at: Date | null;
};

describe('wanted exits', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'A'), ('ptn_b', 'B')`);
  });
  afterEach(() => intentDb.close());

  /** Accepts a command; commands count in this order. */
  async function command(): Promise<string> {
    const one = item();
    await intentDb.accept(one);
    return one.id;
  }
  const want = (order: string, by: string | null, exits: object[], isWhole = false, owner = 'ptn_a') =>
    intentDb.query(`select want_exits('netvenue', $7, $1, $2, $3, $4, $5, $6)`, [
      ...[TRADER, PAIR, order, by, JSON.stringify(exits), isWhole ? LEGS : [], owner],
    ]);
  const row = async (): Promise<ExitsRow | undefined> =>
    (await intentDb.query<ExitsRow>('select * from wanted_exits'))[0];
  const stops = async () => (await row())?.wanted.map(({ order_uuid, stop_loss }) => [order_uuid, stop_loss]) ?? [];

  it('are those of every order, until a command about the whole position replaces them', async () => {
    const [first, second, whole] = [await command(), await command(), await command()];

    await want(first, first, stop('90'));
    await want(second, second, stop('91'));
    expect(await stops()).to.deep.equal([
      [first, '90'],
      [second, '91'],
    ]);
    await want(whole, whole, stop('95'), true);
    expect(await stops()).to.deep.equal([[whole, '95']]);
    expect((await intentDb.jobs()).filter(({ task }) => task === 'network/audit')).not.to.have.length(0);
  });

  it('are compared at once when something may have changed while a comparison is under way, which is overtaken', async () => {
    const order = await command();
    await want(order, order, stop('90'));
    await intentDb.query(`select take_traders_due('netvenue', 10, 60)`);
    const taken = await row();

    await intentDb.query(`select exits_may_differ('netvenue', $1)`, [TRADER]);
    const [noted] = await intentDb.query<{ noted: string }>(
      `select note_comparison('netvenue', $1, $2, $3, $4, '{"state": "protected"}', 0, 60) as noted`,
      [TRADER, PAIR, taken?.version, JSON.stringify(taken?.wanted)],
    );

    expect(noted?.noted).to.equal('overtaken');
    expect((await intentDb.query(`select take_traders_due('netvenue', 10, 60)`)).length).to.equal(1);
    expect((await intentDb.jobs()).filter(({ task }) => task === 'network/audit')[0]?.in_ms).to.be.below(1);
  });

  it('are not those of a command that was accepted before the one that decided', async () => {
    const [early, whole] = [await command(), await command()];

    await want(whole, whole, stop('95'), true);
    await want(early, early, stop('90'));
    await want(early, early, stop('90'), true);

    expect(await stops()).to.deep.equal([[whole, '95']]);
  });

  it('of an order that is not filled yet survive a command about the position, and are kept when it is filled', async () => {
    const [resting, whole] = [await command(), await command()];
    await want(resting, resting, stop('80', { waits: true }));
    await want(whole, whole, stop('95'), true);

    await want(resting, null, stop('80'));

    expect(await stops()).to.have.deep.members([
      [resting, '80'],
      [whole, '95'],
    ]);
  });

  it('of one owner stay its own when another wants some there, also if an earlier version did not record the owner', async () => {
    const [first, second] = [await command(), await command()];
    await want(first, first, stop('90'));
    await intentDb.query(`update wanted_exits set wanted = jsonb_build_array((wanted -> 0) - 'owner')`);

    await want(second, second, stop('91'), false, 'ptn_b');

    expect((await row())?.wanted.map(({ owner }) => owner)).to.deep.equal(['ptn_a', 'ptn_b']);
  });

  it('end with the command that withdraws them, and none is written for an order that never had any', async () => {
    const [first, other, cancel] = [await command(), await command(), await command()];

    await want(other, other, []);
    expect(await row()).to.equal(undefined);
    await want(first, first, stop('90'));
    await want(first, cancel, []);
    expect(await row()).to.deep.include({ wanted: [], due_at: null });
  });

  describe('when a comparison', () => {
    const missing = { state: 'unprotected', side: 'long', size: '1', live: [], reason: 'exits_missing', message: null };
    type Noting = { version: number; confirmS?: number; repair?: string | null; wanted?: object[] | null };
    const note = async (seen: object, { version, confirmS = 0, repair = null, wanted = null }: Noting) =>
      (
        await intentDb.query<{ said: string }>(
          `select note_comparison('netvenue', $1, $2, $3, coalesce($4, (select w.wanted from wanted_exits w)), $5, $6, 60, $7) as said`,
          [TRADER, PAIR, version, wanted && JSON.stringify(wanted), JSON.stringify(seen), confirmS, repair],
        )
      )[0]?.said;
    const version = async () => (await row())?.version ?? -1;
    const events = () =>
      intentDb.query<{ type: string; body: string }>(
        'select type, event_body(events) as body from events order by owner, position',
      );
    const types = async () => (await events()).map(({ type }) => type);
    let order: string;
    beforeEach(async () => {
      order = await command();
      await want(order, order, stop('90'));
    });

    it('shows that they are missing, the position is reported unprotected once that is confirmed, and protected at the end', async () => {
      expect(await note(missing, { version: await version(), confirmS: 10 })).to.equal('suspected');
      expect(await types()).to.deep.equal([]);
      await intentDb.query(`update wanted_exits set missing_since = now() - interval '11 seconds'`);
      expect(await note(missing, { version: await version(), confirmS: 10 })).to.equal('told');
      expect(await note(missing, { version: await version(), confirmS: 10 })).to.equal('told');
      const live = { ...missing, state: 'protected', live: stop('90'), reason: 'exits_live' };
      expect(await note(live, { version: await version() })).to.equal('settled');

      const told = (await events()).map(({ body }) => JSON.parse(body));
      expect(told.map(({ type }) => type)).to.deep.equal(['position.unprotected', 'position.protected']);
      for (const event of told) expect(faultOf(event.type, event), JSON.stringify(event)).to.equal(null);
      expect(told[0].data).to.deep.include({
        venue: 'netvenue',
        trader_id: TRADER,
        pair: PAIR,
        side: 'long',
        repair: 'none',
      });
      expect(told[0].data.wanted).to.deep.equal([{ ...stop('90')[0], order_uuid: order }]);
      expect(told[1].data).to.deep.include({ reason: 'exits_live', since: told[0].data.since, live: stop('90') });
    });

    it('shows the exits of one partner of a wallet again, that one is notified while those of the other are still missing', async () => {
      const other = await command();
      await want(other, other, stop('80'), false, 'ptn_b');
      for (const lacking of [[order, other], [other], [other]])
        await note({ ...missing, lacking }, { version: await version() });
      const [, ended] = (await events()).map(({ body }) => JSON.parse(body));
      await note({ ...missing, state: 'protected', lacking: [] }, { version: await version() });

      expect(ended.data).to.deep.include({ reason: 'exits_live', repair: 'none', message: null });
      expect(ended.data.wanted).to.deep.equal([{ ...stop('90')[0], order_uuid: order }]);
      const both = ['position.unprotected', 'position.protected'];
      expect(await types()).to.deep.equal([...both, ...both]);
    });

    it('was overtaken by a command, it writes nothing', async () => {
      const seen = await version();
      const later = await command();
      await want(later, later, stop('91'));

      expect(await note(missing, { version: seen })).to.equal('overtaken');
      expect(await types()).to.deep.equal([]);
      expect(await stops()).to.have.length(2);
    });

    it('shows that the position is closed, that ends it', async () => {
      await note(missing, { version: await version() });

      const closed = { ...missing, state: 'closed', side: null, size: null, reason: 'position_closed' };
      expect(await note(closed, { version: await version(), wanted: [] })).to.equal('settled');

      expect(await types()).to.deep.equal(['position.unprotected', 'position.protected']);
      expect(await row()).to.deep.include({ wanted: [], due_at: null });
    });

    it('has a repair, the event says so, and says once more when it has failed', async () => {
      const repair = item({ kind: 'network/protect' });
      await note(missing, { version: await version(), repair: repair.id });
      await intentDb.accept(repair);
      await note(missing, { version: await version(), repair: null });
      await intentDb.query(`update intents set state = 'failed', outcome = '{}', settled_at = now() where id = $1`, [
        repair.id,
      ]);
      await note(missing, { version: await version(), repair: null });
      await note(missing, { version: await version(), repair: null });

      const repairs = (await events()).map(({ body }) => JSON.parse(body).data.repair);
      expect(repairs).to.deep.equal(['submitted', 'failed']);
    });
  });

  it('of a prop account are reported to its app and to the followers of the account', async () => {
    await intentDb.query(`
      insert into apps (id, slug, name, allowed_scopes) values ('app_1', 'app', 'App', '{api}');
      insert into users (id, app_id, email, password_hash, verified_at) values ('usr_1', 'app_1', 'a@example.com', 'hash', now());
      insert into tiers (id, market, asset_class, account_size, amount_cents) values ('tier_x', 'crypto', 'crypto', 1000, 5000);
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values ('${TRADER}', 'e', 1, 'app_1', gen_random_uuid(), 'crypto', 1000, 'active');
      insert into prop_accounts (id, owner, user_id, tier_id, market, asset_class, account_size, status, synthetic_hotkey)
      values ('prop_1', 'app_1', 'usr_1', 'tier_x', 'crypto', 'crypto', 1000, 'evaluation', '${TRADER}')`);
    const order = await command();
    await intentDb.query(`select want_exits('netvenue', 'app_1', $1, $2, $3, $3, $4)`, [
      ...[TRADER, PAIR, order, JSON.stringify(stop('90'))],
    ]);
    const seen = { state: 'unprotected', side: 'long', size: '1', live: [], reason: 'exits_missing', message: 'Gone.' };

    await intentDb.query(
      `select note_comparison('netvenue', $1, $2, 1, (select wanted from wanted_exits), $3, 0, 60)`,
      [...[TRADER, PAIR, JSON.stringify(seen)]],
    );

    const [streamed] = await intentDb.query<{ type: string; data: object }>(
      `select type, data from account_events where type like 'position.%'`,
    );
    const [logged] = await intentDb.query<{ body: string }>(
      `select event_body(events) as body from events where type = 'position.unprotected'`,
    );
    expect(streamed?.type).to.equal('position.unprotected');
    expect(streamed?.data).to.include({
      prop_account_id: 'prop_1',
      user_id: 'usr_1',
      trader_id: '1',
      message: 'Gone.',
    });
    expect(JSON.parse(logged?.body ?? '{}').data).to.deep.equal(streamed?.data);
  });
});
