import { Client } from 'pg';
import { sql } from 'slonik';
import { bearer, asking as byHand, codeOf, type Data, fresh, PASSWORD, type TestAdmin, tokenIn } from '../identity.ts';
import { keyed, type Scenes, type Stage } from './scene.ts';

const PARTNERS = '/v2/admin/partners';
const OPERATORS = '/v2/admin/operators';
const reason = 'asked by phone';

type Work = () => Promise<Data>;

/** Operators: their sessions, roles, authenticators and invitations. */
export function operatorScenes({ service, asking, counts }: Stage): Scenes {
  const partners = counts.rows('partners');
  const asOperator = ({ token }: TestAdmin) => asking(bearer(token));
  const mint = (token: string, key: string) => asking(bearer(token))('POST', PARTNERS, keyed(key, { name: 'Partner' }));
  return {
    async V2_ADMIN_SESSION_INVALID() {
      const { email, seed } = await service().admin();
      let token = 'adm_none';
      return {
        makes: partners,
        async heal() {
          const json = { email, password: PASSWORD, totp_code: codeOf(seed, 1) };
          const { headers } = await service().ask('POST', '/v2/admin/login', { json });
          token = headers.getSetCookie()[0]?.split(';')[0]?.split('=')[1] ?? '';
        },
        send: (key) => mint(token, key),
      };
    },
    async V2_ROLE_MISSING() {
      const [viewer, admin] = [await service().admin(true, 'viewer'), await service().admin()];
      return {
        makes: partners,
        async heal({ body }) {
          const role = /needs the role (\w+)/.exec(body.error.message)?.[1];
          await admin.ask('PATCH', `${OPERATORS}/${viewer.adminId}`, { json: { role, reason } });
        },
        send: (key) => mint(viewer.token, key),
      };
    },
    async V2_TOTP_REQUIRED() {
      const admin = await service().admin(false);
      return {
        makes: partners,
        async heal() {
          const { secret } = (await admin.ask('POST', '/v2/admin/totp/enroll')).body;
          await admin.ask('POST', '/v2/admin/totp/confirm', { json: { code: codeOf(secret) } });
        },
        send: (key) => mint(admin.token, key),
      };
    },
    async FORBIDDEN_ORIGIN() {
      const { token, cookie } = await service().admin();
      const elsewhere = { Origin: 'https://pages.example' };
      let credential: Record<string, string> = { Cookie: cookie };
      return {
        makes: partners,
        heal() {
          credential = bearer(token);
        },
        send: (key) => asking({ ...elsewhere, ...credential })('POST', PARTNERS, keyed(key, { name: 'Partner' })),
      };
    },
    async V2_OPERATOR_UNKNOWN() {
      const [admin, other] = [await service().admin(), await service().admin()];
      const disable = (id: string) => (key: string) =>
        asOperator(admin)('POST', `${OPERATORS}/${id}/disable`, keyed(key, { reason }));
      return {
        makes: counts.rows('admins where disabled_at is not null'),
        send: disable(`adn_${'n'.repeat(22)}`),
        instead: disable(other.adminId),
      };
    },
    async V2_OPERATOR_SELF() {
      const [admin, another] = [await service().admin(), await service().admin()];
      const end = (by: TestAdmin) => (key: string) =>
        asOperator(by)('POST', `${OPERATORS}/${admin.adminId}/disable`, keyed(key, { reason }));
      return { makes: counts.rows('admins where disabled_at is not null'), send: end(admin), instead: end(another) };
    },
    async V2_OPERATOR_EXISTS() {
      const [admin, other] = [await service().admin(), await service().admin(true, 'viewer')];
      const ask = asOperator(admin);
      return {
        makes: counts.rows(`admins where role = 'finance'`),
        send: (key) => ask('POST', OPERATORS, keyed(key, { email: other.email, role: 'finance', reason })),
        instead: (key) => ask('PATCH', `${OPERATORS}/${other.adminId}`, keyed(key, { role: 'finance', reason })),
      };
    },
    async V2_INVITATION_INVALID() {
      const [admin, ask] = [await service().admin(), asking()];
      const email = `${fresh('invited')}@example.com`;
      const { admin_id } = (await admin.ask('POST', OPERATORS, { json: { email, role: 'viewer', reason } })).body;
      const expired = tokenIn((await service().mailTo(email)).text);
      await service().db.query(sql.unsafe`
        update admins set invitation_expires_at = now() where id = ${admin_id}`);
      const accept = (token: string) => (key: string) =>
        ask('POST', '/v2/admin/invitations/accept', keyed(key, { token, password: PASSWORD }));
      let invited = '';
      return {
        makes: counts.rows('admins where password_hash is not null'),
        send: accept(expired),
        async heal() {
          await admin.ask('POST', `${OPERATORS}/${admin_id}/reset-authenticator`, { json: { reason } });
          invited = tokenIn((await service().mailTo(email, 2)).text);
        },
        instead: (key) => accept(invited)(key),
      };
    },
    async V2_OPERATOR_RELEASE_REQUIRED() {
      const [victim, other, ask] = [await service().admin(), await service().admin(), asking()];
      const logIn = (totp_code: string) => ({ email: victim.email, password: PASSWORD, totp_code });
      const right = codeOf(victim.seed, 1);
      await service().ask('POST', '/v2/admin/login', { json: logIn(right === '000000' ? '111111' : '000000') });
      await service().db.query(sql.unsafe`update throttles set spent = budget + 1 where name = 'totp_day'`);
      return {
        makes: counts.rows('admin_sessions'),
        heal: () => other.ask('POST', `${OPERATORS}/${victim.adminId}/release`, { json: { reason: 'called back' } }),
        send: (key) => ask('POST', '/v2/admin/login', keyed(key, logIn(right))),
      };
    },
    async V2_OPERATOR_LAST_ADMIN() {
      const [winner, loser] = [await service().admin(), await service().admin()];
      const asWinner = byHand(service().url, bearer(winner.token));
      const roleOf = `${OPERATORS}/${loser.adminId}`;
      const demote = (key: string) =>
        asOperator(loser)('PATCH', `${OPERATORS}/${winner.adminId}`, keyed(key, { role: 'viewer', reason }));
      const others = await service().db.manyFirst(sql.unsafe`
        update admins set role = 'viewer' where role = 'admin' and id not in (${winner.adminId}, ${loser.adminId})
        returning id`);
      let isFirst = true;
      return {
        makes: counts.rows(`admins where role = 'viewer' and id = '${winner.adminId}'`),
        heal: () => asWinner('PATCH', roleOf, { json: { role: 'admin', reason } }),
        async send(key) {
          if (isFirst) {
            isFirst = false;
            return lastOfTwo(
              () => asWinner('PATCH', roleOf, { json: { role: 'viewer', reason } }),
              () => demote(key),
            );
          }
          const done = await demote(key);
          await service().db.query(sql.unsafe`
            update admins set role = 'admin' where id = any(${sql.array(others.map(String), 'text')})`);
          return done;
        },
      };
    },
  };

  /** Both demote each other at once: each is an admin when its request arrives, and the later one would leave none. */
  async function lastOfTwo(first: Work, second: Work): Promise<Data> {
    const client = new Client({ connectionString: String(service().settings.DATABASE_URL) });
    await client.connect();
    await client.query('begin');
    await client.query('select from admins order by id for update');
    const winning = first();
    await areWaiting(1);
    const losing = second();
    await areWaiting(2);
    await client.query('commit');
    await client.end();
    await winning;
    return losing;
  }

  async function areWaiting(count: number): Promise<void> {
    const waiting = sql.unsafe`
      select count(*)::integer from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'set_operator_role'`;
    while ((await service().db.oneFirst(waiting)) !== count);
  }
}
