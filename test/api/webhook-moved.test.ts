import { expect } from 'chai';
import { sql } from 'slonik';
import { ENDPOINTS, endpointsSuite } from '../support/endpoints.ts';
import { until } from '../support/processes.ts';

describe('webhook endpoints that are given another address', () => {
  const { fixture, created, notify, deliveriesOf, settled } = endpointsSuite();

  const moved = (id: string) =>
    fixture.app.ask('PATCH', `${ENDPOINTS}/${id}`, { json: { url: `${fixture.receiver.url}/new` } });
  const shown = async () => (await fixture.app.ask('GET', ENDPOINTS)).body[0];
  const paths = () => fixture.receiver.ledger.map(({ path }) => path);

  it('stay active if the former one responds to what was under way that it is gone', async () => {
    fixture.receiver.behave(({ path }) => (path === '/old' ? { status: 410, delayMs: 600 } : 200));
    const { id } = await created({ url: `${fixture.receiver.url}/old` });
    await notify('a');
    await until('a delivery under way', () => fixture.receiver.ledger.length === 1);

    await moved(id);
    await settled(id);

    expect(await shown()).to.include({ active: true, deactivated_because: null });
    expect(paths()).to.deep.equal(['/old', '/new']);
    expect((await deliveriesOf(id)).map(({ status, attempts }) => [status, attempts])).to.deep.equal([
      ['delivered', 2],
    ]);
  });

  it('do not begin to fail by what the former one responds late', async () => {
    fixture.receiver.behave(({ path }) => (path === '/old' ? { status: 500, delayMs: 600 } : 200));
    const { id } = await created({ url: `${fixture.receiver.url}/old` });
    await notify('a');
    await until('a delivery under way', () => fixture.receiver.ledger.length === 1);

    await moved(id);
    await until('the response is recorded', async () => (await deliveriesOf(id))[0]?.response_status === 500);

    expect(await shown()).to.include({ active: true, failing_since: null });
  });

  it('have five days from then on to respond', async () => {
    fixture.receiver.behave(() => 500);
    const { id } = await created({ url: `${fixture.receiver.url}/old` });
    await notify('a');
    await until('a failure', async () => (await shown()).failing_since !== null);
    await fixture.service.db.query(sql.unsafe`
      update webhook_endpoints set failing_since = now() - interval '5 days 1 minute' where id = ${id}`);

    const { body: before } = await moved(id);
    await notify('b');
    await until('another failure', async () => paths().includes('/new') && (await shown()).failing_since !== null);

    expect(before).to.include({ active: true, failing_since: null });
    expect(await shown()).to.include({ active: true, deactivated_because: null });
  });
});
