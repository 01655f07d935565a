import { expect } from 'chai';
import { type Ask, startIdentity, type TestApp } from '../support/identity.ts';
import { expectProblem } from '../support/problem.ts';
import { expectRejected } from '../support/rejected.ts';
import type { TestService } from '../support/service.ts';

type Event = { id: string; type: string; timestamp: string };

describe('the filters of the event log', () => {
  let service: TestService;
  let app: TestApp;
  let ask: Ask;
  let all: Event[];
  before(async () => {
    const identity = await startIdentity();
    service = identity;
    app = await identity.app(['*']);
    ({ ask } = app);
    for (const fanout_event of ['a.one', 'a.two', 'a.one', 'a.two', 'a.one'])
      await ask('POST', '/v2/notifications/send', { json: { fanout_event, subject: 's', html: 'h' } });
    all = (await ask('GET', '/v2/events')).body;
  });
  after(() => service.stop());

  const ids = (events: Event[]) => events.map(({ id }) => id);

  it('leave the events of one type, over pages and after an event', async () => {
    const ones = all.filter(({ type }) => type === 'a.one');
    const first = await ask('GET', '/v2/events?type=a.one&limit=2');
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await ask('GET', next);
    const later = await ask('GET', `/v2/events?type=a.one&after=${all[1]?.id}`);

    expect(ones).to.have.length(3);
    expect([...ids(first.body), ...ids(rest.body)]).to.deep.equal(ids(ones));
    expect(ids(later.body)).to.deep.equal(ids(ones.slice(1)));
    expect((await ask('GET', '/v2/events?type=a.none')).body).to.deep.equal([]);
  });

  it('leave the events since a time, also of one type', async () => {
    const since = encodeURIComponent(String(all[2]?.timestamp));

    expect(ids((await ask('GET', `/v2/events?since=${since}`)).body)).to.deep.equal(ids(all.slice(2)));
    expect(ids((await ask('GET', `/v2/events?since=${since}&type=a.two`)).body)).to.deep.equal([all[3]?.id]);
    expectRejected(await ask('GET', '/v2/events?since=yesterday'), 'INVALID_REQUEST');
  });

  it('are the same of a partner', async () => {
    const trader = await service.trader();
    const { body } = await trader.get('/v1/events');

    const made = await trader.get('/v1/events?type=subaccount.updated');
    const none = await trader.get('/v1/events?type=order.updated');
    const later = await trader.get('/v1/events?since=2099-01-01T00:00:00Z');

    expect(ids(made.body)).to.deep.equal(ids(body));
    expect([none.body, later.body]).to.deep.equal([[], []]);
  });

  it('are checked of a partner, which has no events of other types', async () => {
    const trader = await service.trader();

    const misspelt = await trader.get('/v1/events?type=order.update');

    expectProblem(misspelt, 'INVALID_REQUEST');
    expect(misspelt.body.error.fields).to.have.length(1);
    expect(misspelt.body.error.fields[0]).to.deep.include({ loc: ['query', 'type'] });
    expect(misspelt.body.error.fields[0].msg).to.match(/^must be one of order\.updated, /);
    expect((await trader.get('/v1/events?type=webhook.test')).status).to.equal(200);
  });
});
