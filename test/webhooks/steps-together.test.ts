import { expect } from 'chai';
import { deliveriesSuite } from '../support/webhooks.ts';

type Delivery = { delivery_id: string; fence: number; url: string };
type Step = { endpoint_id: string; lane: number; said?: object; parting?: boolean };
type Stepped = { n: number; verdict: string; held: Delivery | null };

const DELIVERED = { ending: 'delivered', duration_ms: 1, status: 200 };
const RETRIED = { ending: 'retry', retry_in_s: 60, duration_ms: 1, status: 500, error: 'status' };

describe('steps of lanes in one statement', () => {
  const { fixture, deliveries, attempts, endpointRow } = deliveriesSuite();

  const step = (...steps: Step[]) =>
    fixture.d.rows<Stepped>('select n, verdict, held from step_lanes($1) order by n', [
      JSON.stringify(steps.map((each, n) => ({ ...each, n }))),
    ]);

  /** An endpoint with these lanes and so many due deliveries, of which the first has waited longest: `<name>_1`, `<name>_2` … */
  async function endpointWith(name: string, lanes: number, due: number): Promise<string> {
    const { id } = await fixture.d.endpoint(fixture.app, fixture.receiver.url, ['none']);
    await fixture.d.rows('update webhook_endpoints set lanes = $2 where id = $1', [id, lanes]);
    await fixture.d.rows(
      `insert into webhook_deliveries (id, owner, endpoint_id, event_id, due_at)
       select $3 || '_' || s, $1, $2, (record_event($1, 'x', '{}')).id, now() - make_interval(secs => 20 - s) from generate_series(1, $4::integer) s`,
      [fixture.app, id, name, due],
    );
    return id;
  }
  afterEach(() =>
    fixture.d.rows(`
      update webhook_deliveries set state = 'cancelled', lane = null, ended_at = now() where state in ('pending', 'sending')`),
  );

  it('take for each lane another delivery of its endpoint, what has waited longest first; the lane for which none is left ends', async () => {
    const [many, few] = [await endpointWith('many', 7, 4), await endpointWith('few', 3, 1)];

    const stepped = await step(
      { endpoint_id: few, lane: 1 },
      { endpoint_id: many, lane: 2 },
      { endpoint_id: many, lane: 0 },
      { endpoint_id: few, lane: 0 },
      { endpoint_id: many, lane: 1 },
    );

    const taken = stepped.map(({ verdict, held }) => [verdict, held?.delivery_id]);
    expect(taken).to.deep.equal([
      ['idle', undefined],
      ['send', 'many_3'],
      ['send', 'many_1'],
      ['send', 'few_1'],
      ['send', 'many_2'],
    ]);
    expect((await endpointRow(few))?.lanes).to.equal(1);
    expect((await deliveries()).find(({ id }) => id === 'many_4')).to.include({ state: 'pending', attempts: 0 });
  });

  it('count the attempts at one endpoint in order: the last one decides whether it fails', async () => {
    const [failing, mended] = [await endpointWith('failing', 3, 2), await endpointWith('mended', 3, 2)];
    const lanes = [failing, mended].flatMap((id) => [0, 1].map((lane) => ({ endpoint_id: id, lane })));
    const [a, b, c, d] = (await step(...lanes)).map(({ held }) => held);

    await step(
      { endpoint_id: failing, lane: 0, said: { ...a, ...DELIVERED } },
      { endpoint_id: failing, lane: 1, said: { ...b, ...RETRIED } },
      { endpoint_id: mended, lane: 0, said: { ...c, ...RETRIED } },
      { endpoint_id: mended, lane: 1, said: { ...d, ...DELIVERED } },
    );

    expect((await endpointRow(failing))?.failing_since).to.be.an.instanceOf(Date);
    expect((await endpointRow(mended))?.failing_since).to.equal(null);
    const states = Object.fromEntries((await deliveries()).map(({ id, state }) => [id, state]));
    expect(states).to.include({
      failing_1: 'delivered',
      failing_2: 'pending',
      mended_1: 'pending',
      mended_2: 'delivered',
    });
  });

  it('keep the report, claim and result of each separate', async () => {
    const [own, other] = [await endpointWith('own', 3, 4), await endpointWith('other', 1, 1)];
    const [first, second, third] = await step(
      { endpoint_id: own, lane: 0 },
      { endpoint_id: own, lane: 1 },
      { endpoint_id: other, lane: 0 },
    );
    const [again] = await step({ endpoint_id: other, lane: 0 }); // its worker died

    const stepped = await step(
      { endpoint_id: own, lane: 0, said: { ...first?.held, ...DELIVERED, response: 'thanks' } },
      { endpoint_id: own, lane: 1, said: { ...second?.held, ...RETRIED }, parting: true },
      { endpoint_id: other, lane: 0, said: { ...third?.held, ...DELIVERED } },
    );

    expect(again?.held).to.include({ delivery_id: 'other_1', fence: 2 });
    expect(stepped.map(({ verdict, held }) => [verdict, held?.delivery_id])).to.deep.equal([
      ['send', 'own_3'],
      ['separated', undefined],
      ['lost', undefined],
    ]);
    expect((await attempts()).map(({ n, error, response }) => [n, error, response])).to.deep.equal([
      [1, 'lost', null],
      [1, null, 'thanks'],
      [1, 'status', null],
    ]);
    expect((await deliveries()).find(({ id }) => id === 'other_1')).to.include({ state: 'sending', attempts: 2 });
  });
});
