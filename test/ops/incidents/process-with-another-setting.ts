import { finds, incident, only } from '../incident.ts';

const process = (instance: string, key: string) => `
  insert into processes (id, kind, instance, version, calls, settings, sealing_keys, agreement_keys)
  values (gen_random_uuid(), 'worker', '${instance}', '1', (select c.digest from code_calls c limit 1), '{"FEED_KEY": "${key}"}', '{}', '{}')`;

export default incident({
  starts: { alert: 'FleetDiffers' },
  async happens({ session }) {
    for (const [instance, key] of [
      ['host-1/1', 'aa'],
      ['host-2/1', 'aa'],
      ['host-3/1', 'bb'],
    ] as const)
      await session.query(process(instance, key));
    return {
      restart: () => session.query(`update processes set settings = '{"FEED_KEY": "aa"}' where instance = 'host-3/1'`),
    };
  },
  lasts: 'because the process of the test has other settings than all of these',
  steps: [
    [
      'select * from ops.fleet_differences where is_odd',
      async ({ psql }) => {
        const odd = only(await psql(`select * from ops.fleet_differences where is_odd and name = 'FEED_KEY'`));
        finds(String(odd.processes) === 'worker host-3/1', 'the odd one out');
      },
    ],
    ['Correct its setting and restart it', (_, { restart }) => restart()],
  ],
  isOver: async ({ session }) =>
    only(await session.query(`select not exists (select from ops.fleet_differences where name = 'FEED_KEY') as done`))
      .done === true,
});
