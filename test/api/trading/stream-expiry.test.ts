import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { bearer } from '../../support/identity.ts';
import { eventually } from '../../support/money.ts';
import { type Reader, readStream } from '../../support/stream.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

describe('a stream with expired credentials', () => {
  let service: Trading;
  let trader: TestTrader;
  const readers: Reader[] = [];
  before(async () => {
    service = await startTrading();
    trader = await service.propTrader();
  });
  after(async () => {
    for (const reader of readers) reader.drop();
    await service.stop();
  });

  for (const [what, change] of [
    ['the session of its user expires', sql.fragment`user_sessions set expires_at = now() where user_id = `],
    [
      'the session of its user is idle for 8 days',
      sql.fragment`user_sessions set seen_at = now() - interval '8 days' where user_id = `,
    ],
  ] as const) {
    it(`ends within seconds when ${what}`, async () => {
      const { tenant, url } = service;
      const { user } = await service.propTrader();
      const reader = await readStream(`${url}${TRADING}/stream`, {
        ...bearer(tenant.token),
        'X-Session-Token': user.session,
      });
      readers.push(reader);

      await service.db.query(sql.unsafe`update ${change}${user.userId}`);
      await eventually(async () => reader.ended(), 5_000);

      expect(reader.events.at(-1)?.data).to.deep.equal({ reason: 'revoked' });
    });
  }

  for (const [what, change] of [
    ['the token of its app expires', sql.fragment`app_tokens set expires_at = now() where app_id = `],
    ['the secret of that token expires', sql.fragment`app_secrets set expires_at = now() where app_id = `],
  ] as const) {
    it(`ends within seconds when ${what}`, async () => {
      const { tenant, url } = service;
      const token = (await service.token(tenant)).body.access_token;
      const reader = await readStream(`${url}${TRADING}/stream`, {
        ...bearer(token),
        'X-Prop-Account': trader.account.id,
      });
      readers.push(reader);

      await service.db.query(sql.unsafe`update ${change}${tenant.appId}`);
      await eventually(async () => reader.ended(), 5_000).finally(() =>
        service.db.query(sql.unsafe`
          with t as (update app_tokens set expires_at = now() + interval '1 hour' where app_id = ${tenant.appId})
          update app_secrets set expires_at = null where app_id = ${tenant.appId}`),
      );

      expect(reader.events.at(-1)?.data).to.deep.equal({ reason: 'revoked' });
    });
  }

  it('does not end as long as its app may read, although it may not trade', async () => {
    const { tenant, url } = service;
    const token = (await service.token(tenant, 'reads')).body.access_token;
    const allow = (scopes: string) =>
      service.db.query(sql.unsafe`update apps set allowed_scopes = ${scopes}::text[] where id = ${tenant.appId}`);
    await allow('{reads}');
    const reader = await readStream(`${url}${TRADING}/stream`, {
      ...bearer(token),
      'X-Prop-Account': trader.account.id,
    }).finally(() => setTimeout(4_500)); // credentials are checked every 2 s
    readers.push(reader);
    const isOpen = !reader.ended();
    await allow('{webhooks}');
    await eventually(async () => reader.ended(), 5_000).finally(() => allow('{api}'));

    expect(isOpen).to.equal(true);
    expect(reader.events.map(({ type }) => type)).to.deep.equal(['snapshot', 'closed']);
  });
});
