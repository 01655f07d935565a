import { sql } from 'slonik';
import { finds, incident, only } from '../incident.ts';

export default incident({
  starts: { customer: 'My phone was stolen, I am thief@example.com, log me out everywhere.' },
  async happens({ service, session }) {
    const app = await service.app();
    await service.db.query(sql.unsafe`
      insert into users (id, app_id, email, verified_at) values ('usr_Thief00000000000000000', ${app.appId}, 'thief@example.com', now())`);
    await session.query(`
      insert into user_sessions (id, user_id, digest, expires_at) values ('uss_thief', 'usr_Thief00000000000000000', 'd', now() + interval '1 day')`);
    return { user: '' };
  },
  steps: [
    [
      'Console, Find: the address',
      async ({ read }, known) => {
        known.user = (await read('/v2/admin/search?q=thief@example.com')).records[0].id;
      },
    ],
    [
      'Console, the user’s page: end the sessions',
      async ({ post }, { user }) =>
        finds((await post(`/v2/admin/users/${user}/end-sessions`)).ended === 1, 'the open session'),
    ],
  ],
  isOver: async ({ session }) =>
    only(
      await session.query(
        `select not exists (select from user_sessions where user_id = 'usr_Thief00000000000000000' and revoked_at is null) as done`,
      ),
    ).done === true,
});
