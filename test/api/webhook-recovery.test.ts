import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { ENDPOINTS, endpointsSuite, expectProblem } from '../support/endpoints.ts';
import { until } from '../support/processes.ts';

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
