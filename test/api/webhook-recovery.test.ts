import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { ENDPOINTS, endpointsSuite, expectProblem } from '../support/endpoints.ts';
import { until } from '../support/processes.ts';

describe('recovering what an endpoint missed', () => {
  const { own, created, notify, settled } = endpointsSuite();

  it('recovers what an endpoint missed, spread out and once a minute', async () => {
    const since = new Date().toISOString();
    const { id } = await created({ events: ['kyc.updated'] });
    await notify('kyc.updated', { n: 0 });
    await settled(id);
    await own.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: false } });
    for (let n = 1; n <= 5; n += 1) await notify('kyc.updated', { n });
    await notify('payment.failed');
    expectProblem(await own.app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } }), 'V2_WEBHOOK_INACTIVE');

    const active = await own.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: true } });
    const recovered = await own.app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } });
    await until('all six', () => own.receiver.ledger.length === 6);
    const tooSoon = await own.app.ask('POST', `${ENDPOINTS}/${id}/recover`, { json: { since } });

    expect(active.body).to.include({ active: true, deactivated_because: null });
    expect(recovered.body).to.deep.equal({ queued: 5, since });
    expect(own.receiver.ledger.map(({ body }) => JSON.parse(body).data.n).sort()).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expectProblem(tooSoon, 'V2_WEBHOOK_RECOVERY_PAUSED', { retryable: true });
    expect(tooSoon.headers.get('retry-after')).to.equal('60');
  });

  it('does not knock a receiver over that has just come back', async () => {
    const { id } = await created();
    await own.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: false } });
    await own.service.db.any(
      sql.type(z.object({}))`select emit_event(${own.app.appId}, 'a', '{}') from generate_series(1, 300)`,
    );
    await own.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { active: true } });

    const startedAt = Date.now();
    const recovered = await own.app.ask('POST', `${ENDPOINTS}/${id}/recover`, {
      json: { since: '2026-01-01T00:00:00Z' },
    });
    await until('all of them', () => own.receiver.ledger.length === 300, 15_000);
    const tookS = (Date.now() - startedAt) / 1000;

    expect(recovered.body.queued).to.equal(300);
    expect(tookS).to.be.within(4.5, 9);
    expect(own.receiver.inFlight.most).to.be.at.most(4);
    console.log(`    300 recovered in ${tookS.toFixed(1)} s, at most ${own.receiver.inFlight.most} at once`);
  });
});
