import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { customer: 'Our server was down until six, we are Northwind, and we miss the webhooks of the night.' },
  async happens({ session }) {
    await session.query(`
      insert into partners (id, name) values ('ptn_nw', 'Northwind Capital');
      insert into webhook_endpoints (id, owner, url, events) values ('whe_nw', 'ptn_nw', 'https://hooks.example.com', '{*}')`);
    for (const _ of [1, 2, 3]) await session.query(`select emit_event('ptn_nw', 'order.updated', '{}')`);
    await session.query(
      `update webhook_deliveries set state = 'failed', ended_at = now(), attempts = 10 where endpoint_id = 'whe_nw'`,
    );
    return { endpoint: '' };
  },
  steps: [
    [
      'Console, Find: the first letters of the name',
      async ({ read }) => finds((await read('/v2/admin/search?q=northwind')).records[0].id === 'ptn_nw', 'the partner'),
    ],
    [
      'Console, Deliveries: failed ones of that partner',
      async ({ read }, known) => {
        const [first] = await read('/v2/admin/deliveries?state=failed&app_id=ptn_nw');
        known.endpoint = first.endpoint_id;
      },
    ],
    [
      'select * from ops.retry_deliveries_of(the endpoint, name, reason)',
      async ({ psql }, { endpoint }) =>
        finds(
          only(await psql(`select * from ops.retry_deliveries_of($1, 'ada', 'it is back')`, [endpoint])).queued === 3,
          'all three',
        ),
    ],
  ],
  isOver: async ({ session }) =>
    only(
      await session.query(
        `select not exists (select from webhook_deliveries where endpoint_id = 'whe_nw' and state = 'failed') as done`,
      ),
    ).done === true,
});
