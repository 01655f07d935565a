import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { bearer, fresh, type Identity, startIdentity, type TestAdmin, type TestApp } from '../support/identity.ts';
import { until } from '../support/processes.ts';

/** Sends the headers of a request. `finish` sends its body, and resolves to the status and the code of the response. */
function hold(url: string, headers: Record<string, string>, json: object) {
  const body = JSON.stringify(json);
  const length = String(Buffer.byteLength(body));
  const all = { ...headers, 'Content-Type': 'application/json', 'Content-Length': length };
  const sent = request(url, { method: 'POST', headers: all });
  sent.flushHeaders();
  const answered = new Promise<[status: number | undefined, code: string | undefined]>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) =>
      text(response).then((said) => resolve([response.statusCode, JSON.parse(said).error?.code]), reject),
    );
  });
  return {
    finish: () => {
      sent.end(body);
      return answered;
    },
  };
}

describe('a body that is held back until the credentials of its request have ended', () => {
  let service: Identity;
  let admin: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    admin = await service.admin();
    app = await service.app();
  });
  after(() => service.stop());

  const count = (rows: FragmentSqlToken) =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*)::int as count from ${rows}`);

  /** Holds a request's body back, once who calls has been identified: the time of the session's last use shows that. */
  async function held(sessions: FragmentSqlToken, ...[path, headers, json]: Parameters<typeof hold>) {
    await service.db.query(
      sql.unsafe`update ${sessions} set seen_at = now() - interval '10 minutes' where revoked_at is null`,
    );
    const idle = sql.fragment`${sessions} where revoked_at is null and seen_at < now() - interval '5 minutes'`;
    const others = (await count(idle)) - 1; // before it is sent
    const sent = hold(service.url + path, headers, json);
    await until('the session is used', async () => (await count(idle)) <= others);
    return sent;
  }

  const ofUsers = sql.fragment`user_sessions`;
  const sign = async () => {
    const user = await service.user(app);
    await service.db.query(sql.unsafe`delete from user_sessions where user_id <> ${user.userId}`);
    const headers = { ...bearer(app.token), 'X-Session-Token': user.session };
    const json = { agreement_version: '1', signature_name: 'Ada' };
    return { user, sent: await held(ofUsers, '/v2/agreements/sign', headers, json) };
  };

  it('signs nothing for a session that was ended', async () => {
    const { user, sent } = await sign();

    await app.ask('POST', '/v2/auth/sessions/revoke', { json: { session_token: user.session } });

    expect(await sent.finish()).to.deep.equal([401, 'V2_SESSION_INVALID']);
    expect(await count(sql.fragment`agreement_signatures s where s.user_id = ${user.userId}`)).to.equal(0);
  });

  it('changes nothing for an operator who was disabled', async () => {
    const [other, name] = [await service.admin(), fresh('late')];
    await service.db.query(sql.unsafe`
      update admin_sessions set revoked_at = now() where admin_id not in (${admin.adminId}, ${other.adminId})`);
    const sent = await held(sql.fragment`admin_sessions`, '/v2/admin/partners', bearer(other.token), { name });

    await admin.ask('POST', `/v2/admin/operators/${other.adminId}/disable`, { json: { reason: 'left' } });

    expect(await sent.finish()).to.deep.equal([401, 'V2_ADMIN_SESSION_INVALID']);
    expect(await count(sql.fragment`partners p where p.name = ${name}`)).to.equal(0);
  });

  it('is read for credentials that have not ended', async () => {
    const { sent } = await sign();

    expect(await sent.finish()).to.deep.equal([200, undefined]);
  });
});
