import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { customer: 'Our key tpk_N1ght is rejected since midnight.' },
  async happens({ session }) {
    await session.query(`
      insert into partners (id, name, disabled_at) values ('ptn_NightOwls0000000000000', 'Night Owls', now());
      insert into partner_keys (id, partner_id, digest, hint) values ('pky_night', 'ptn_NightOwls0000000000000', 'night', 'tpk_N1ght')`);
    return { partner: '' };
  },
  steps: [
    [
      'Console, Find: the hint of the key; it is live and belongs to the partner',
      async ({ read }, known) => {
        const [key] = (await read('/v2/admin/search?q=tpk_N1ght')).records;
        finds(key.kind === 'partner_key' && key.state === 'live', 'a live key');
        known.partner = key.owner;
      },
    ],
    [
      'Console, Find: the partner; it is disabled',
      async ({ read }, { partner }) =>
        finds((await read(`/v2/admin/search?q=${partner}`)).records[0].state === 'disabled', 'why'),
    ],
    ['Console, Audit: who disabled it, and why', ({ read }, { partner }) => read(`/v2/admin/audit?subject=${partner}`)],
    [
      'Console, Partners: enable it',
      ({ post }, { partner }) => post(`/v2/admin/partners/${partner}/enable`, { waiting: 'send', reason: undefined }),
    ],
  ],
  isOver: async ({ session }) =>
    only(
      await session.query(`select disabled_at is null as done from partners where id = 'ptn_NightOwls0000000000000'`),
    ).done === true,
});
