import { expect } from 'chai';
import { type Deliveries, openDeliveries } from '../support/webhooks.ts';

describe('retrying deliveries by hand', () => {
  let service: Deliveries;
  let app: string;
  let endpoint: string;
  before(async () => {
    service = await openDeliveries();
  });
  after(() => service.stop());
  beforeEach(async () => {
    app = await service.app();
    endpoint = (await service.endpoint(app, 'https://key:word@hooks.example.com/in?token=secret')).id;
    await service.emit(app, 'payment.succeeded');
    await service.emit(app, 'payment.succeeded');
    await service.rows(
      `update webhook_deliveries
       set state = 'failed', ended_at = now(), attempts = 10, retry_step = 10, response_status = 500, error = 'status'
       where endpoint_id = $1`,
      [endpoint],
    );
  });

  const dead = async () =>
    (
      await service.rows<{ delivery_id: string; endpoint_id: string; url: string }>('select * from ops.dead_deliveries')
    ).filter(({ endpoint_id }) => endpoint_id === endpoint);
  const retryAll = async (since = '-infinity') =>
    (await service.rows(`select * from ops.retry_deliveries_of($1, 'ada', 'it is back', $2)`, [endpoint, since]))[0];
  const retry = async (id: string) =>
    (await service.rows(`select ops.retry_delivery($1, 'ada', 'it is back') verdict`, [id]))[0]?.verdict;
  const recorded = (subject: string) =>
    service.rows(`select a.action, a.why, a.detail from ops.actions a where a.subject = $1 order by a.at`, [subject]);
  const rowOf = async (id: string) => (await service.rows('select * from webhook_deliveries where id = $1', [id]))[0];

  it('lists the failed ones, newest first and without secrets from addresses', async () => {
    const found = await dead();

    expect(found).to.have.length(2);
    const ids = found.map(({ delivery_id }) => delivery_id);
    expect(ids).to.deep.equal(ids.toSorted().reverse());
    expect(found[0]).to.include({
      url: 'https://hooks.example.com/in',
      app_id: app,
      state: 'failed',
      attempts: 10,
      event_type: 'payment.succeeded',
    });
  });

  it('queues one from the start of the plan', async () => {
    const [{ delivery_id: id } = { delivery_id: '' }] = await dead();

    expect(await retry(id)).to.equal('queued');

    expect(await rowOf(id)).to.include({ state: 'pending', retry_step: 0, attempts: 10, ended_at: null });
    expect(await recorded(id)).to.deep.equal([
      { action: 'retry_delivery', why: 'it is back', detail: { given_name: 'ada', verdict: 'queued' } },
    ]);
  });

  it('rejects one whose endpoint is inactive, and an unknown one', async () => {
    await service.rows(`select deactivate_endpoint($1, 'gone')`, [endpoint]);
    const [{ delivery_id: id } = { delivery_id: '' }] = await dead();

    expect([await retry(id), await retry('whd_nobody')]).to.deep.equal(['inactive', 'unknown']);
    expect(await rowOf(id)).to.include({ state: 'failed' });
    expect(await recorded(id)).to.have.nested.property('[0].detail.verdict', 'inactive');
  });

  it('rejects one that is being sent to an endpoint that was deactivated meanwhile: it is not sent again', async () => {
    const [{ delivery_id: id } = { delivery_id: '' }] = await dead();
    await service.rows(`update webhook_deliveries set state = 'sending', lane = 0, ended_at = null where id = $1`, [
      id,
    ]);
    await service.rows(`select deactivate_endpoint($1, 'gone')`, [endpoint]);

    expect(await retry(id)).to.equal('inactive');
  });

  it('queues all of an endpoint, once a minute', async () => {
    expect(await retryAll()).to.deep.equal({ verdict: 'queued', queued: 2 });
    expect(await retryAll()).to.deep.equal({ verdict: 'too_soon', queued: 0 });

    expect(await dead()).to.deep.equal([]);
    expect(await recorded(endpoint)).to.have.length(2);
  });

  it('queues only what an endpoint missed since the given time', async () => {
    expect(await retryAll('infinity')).to.deep.equal({ verdict: 'queued', queued: 0 });
    expect(await dead()).to.have.length(2);
  });

  it('shows the ages of those that did not arrive', async () => {
    await service.rows(`update webhook_deliveries set ended_at = now() - interval '1 hour' where endpoint_id = $1`, [
      endpoint,
    ]);

    const failed = (await service.rows('select * from ops.delivery_ages')).find(({ state }) => state === 'failed');

    expect(failed?.count).to.be.at.least(2);
    expect(failed?.oldest_s).to.be.within(3_600, 3_660);
  });
});
