import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { ENDPOINTS, endpointsSuite, expectProblem } from '../support/endpoints.ts';
import { until } from '../support/processes.ts';

const DAY_MS = 86_400_000;

describe('recovering missed events of an endpoint', () => {
  const { fixture, created, notify, settled } = endpointsSuite();

  it('sends missed events again, spread over time and at most once a minute', async () => {
    const since = new Date().toISOString();
    const { id } = await created({ events: ['kyc.updated'] });
    await notify('kyc.updated', { n: 0 });
    await settled(id);
    await fixture.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: false } });
    for (let n = 1; n <= 5; n += 1) await notify('kyc.updated', { n });
    await notify('payment.failed');
    expectProblem(
      await fixture.app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } }),
      'V2_WEBHOOK_INACTIVE',
    );

    const active = await fixture.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: true } });
    const recovered = await fixture.app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } });
    await until('all six', () => fixture.receiver.ledger.length === 6);
    await fixture.service.db.any(sql.type(z.object({}))`
      update webhook_endpoints set recovered_at = now() - interval '40 s' where id = ${id}`);
    const tooSoon = await fixture.app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } });

    expect(active.body).to.include({ active: true, deactivated_because: null });
    expect(recovered.body).to.deep.equal({ queued: 5, since });
    expect(fixture.receiver.ledger.map(({ body }) => JSON.parse(body).data.n).sort()).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expectProblem(tooSoon, 'V2_WEBHOOK_RECOVERY_PAUSED', { retryable: true });
    expect(Number(tooSoon.headers.get('retry-after'))).to.be.within(15, 20);
  });

  it('says since when, where events are no longer kept: in between and at the end, too', async () => {
    const app = await fixture.service.app(['webhooks']);
    const [midnight, json] = [
      new Date().setUTCHours(0, 0, 0, 0),
      { url: fixture.receiver.url, events: ['kyc.updated'] },
    ];
    const { id } = (await app.ask('POST', ENDPOINTS, { json })).body;
    const asOwner = (statement: ReturnType<typeof sql.fragment>) =>
      fixture.service.db.query(sql.type(z.object({}))`${statement}`);
    await asOwner(sql.fragment`select emit_event(${app.appId}, 'a', '{}') from generate_series(1, 5)`);
    const dayOf = (position: number) => new Date(midnight - (10 - position) * DAY_MS);
    for (let n = 1; n <= 5; n += 1)
      await asOwner(sql.fragment`
        update events set created_at = ${dayOf(n).toISOString()} where owner = ${app.appId} and position = ${n}`);
    const lose = (position: number) =>
      asOwner(sql.fragment`delete from events where owner = ${app.appId} and position = ${position}`);
    const recovered = async (since: Date) => {
      await asOwner(sql.fragment`update webhook_endpoints set recovered_at = null where id = ${id}`);
      const { body } = await app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since: since.toISOString() } });
      return new Date(body.since).getTime();
    };
    const long = new Date(Date.now() - 30 * DAY_MS);

    expect(await recovered(long), 'all are kept').to.equal(long.getTime());
    await lose(1);
    expect(await recovered(long), 'the first is gone').to.equal(dayOf(2).getTime());
    expect(await recovered(dayOf(3)), 'later').to.equal(dayOf(3).getTime());
    await lose(3);
    expect(await recovered(long), 'one in between is gone').to.equal(dayOf(4).getTime());
    expect(await recovered(new Date(dayOf(4).getTime() + 1)), 'later').to.equal(dayOf(4).getTime() + 1);
    await lose(5);
    expect(await recovered(dayOf(4)), 'the last is gone').to.be.within(Date.now() - 60_000, Date.now() + 1_000);
  });

  it('does not overload a receiver that has just recovered', async () => {
    const { id } = await created();
    await fixture.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: false } });
    await fixture.service.db.any(
      sql.type(z.object({}))`select emit_event(${fixture.app.appId}, 'a', '{}') from generate_series(1, 300)`,
    );
    await fixture.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: true } });

    const startedAt = Date.now();
    const recovered = await fixture.app.ask('POST', `${ENDPOINTS}/${id}/recover`, {
      json: { since: '2026-01-01T00:00:00Z' },
    });
    await until('all of them', () => fixture.receiver.ledger.length === 300, 15_000);
    const tookS = (Date.now() - startedAt) / 1000;

    expect(recovered.body.queued).to.equal(300);
    expect(tookS).to.be.within(4.5, 9);
    expect(fixture.receiver.inFlight.most).to.be.at.most(4);
    console.log(`    300 recovered in ${tookS.toFixed(1)} s, at most ${fixture.receiver.inFlight.most} at once`);
  });
});
