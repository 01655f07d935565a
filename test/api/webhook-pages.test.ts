import { expect } from 'chai';
import { ENDPOINTS, endpointsSuite, expectProblem } from '../support/endpoints.ts';

describe('lists of webhooks and events', () => {
  const { fixture, create, created, notify } = endpointsSuite();

  it('pages endpoints and deliveries', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await created()).id);
    const { id } = await created();
    for (let n = 0; n < 5; n += 1) await notify('a', { n });

    const endpoints = await walk(`${ENDPOINTS}?limit=2`);
    const deliveries = await walk(`${ENDPOINTS}/${id}/deliveries?limit=2`);

    expect(endpoints.map((row) => row.id)).to.deep.equal([id, ...ids]);
    expect(new Set(deliveries.map((row) => row.id)).size).to.equal(5);
    expect(deliveries.map((row) => row.created_at)).to.deep.equal(
      deliveries
        .map((row) => row.created_at)
        .sort()
        .reverse(),
    );
  });

  it('accept 50 active endpoints and no more', async () => {
    const { id: spare } = await created();
    await fixture.app.ask('DELETE', `${ENDPOINTS}/${spare}`);

    const replies = await Promise.all(Array.from({ length: 60 }, () => create()));
    const active = (await walk(`${ENDPOINTS}?limit=100`)).filter((endpoint) => endpoint.active);

    expect(replies.filter(({ status }) => status === 200)).to.have.length(50);
    for (const reply of replies.filter(({ status }) => status !== 200)) expectProblem(reply, 'V2_WEBHOOK_TOO_MANY');
    expectProblem(
      await fixture.app.ask('PATCH', `${ENDPOINTS}/${spare}`, { json: { active: true } }),
      'V2_WEBHOOK_TOO_MANY',
    );
    expect(active).to.have.length(50);
  });

  it('record events in order, and page them without a gap', async () => {
    for (let n = 0; n < 7; n += 1) await notify(`event.${n}`, { n });
    const events = await walk('/v2/events?limit=3');
    const rest = await fixture.app.ask('GET', `/v2/events?after=${events[4]?.id}`);

    expect(events.map(({ type }) => type)).to.deep.equal([0, 1, 2, 3, 4, 5, 6].map((n) => `event.${n}`));
    expect(events[0]).to.have.all.keys('id', 'type', 'data', 'timestamp', 'origin');
    expect(rest.body.map(({ type }: { type: string }) => type)).to.deep.equal(['event.5', 'event.6']);
    const outsider = await fixture.service.app();
    expectProblem(await outsider.ask('GET', `/v2/events?after=${events[0]?.id}`), 'V2_EVENT_UNKNOWN');
    expect((await outsider.ask('GET', '/v2/events')).body).to.deep.equal([]);
  });

  /** Every row of a paged list, by its `Link`s. */
  async function walk(path: string): Promise<Record<string, unknown>[]> {
    const rows = [];
    for (let next: string | undefined = path; next; ) {
      const { body, headers } = await fixture.app.ask('GET', next);
      rows.push(...body);
      next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    return rows;
  }
});
