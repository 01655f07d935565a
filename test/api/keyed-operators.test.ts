import { sql } from 'slonik';
import { z } from 'zod';
import { type Commits, watchCommits } from '../support/commits.ts';
import { type Ask, fresh, type Identity, PASSWORD, startIdentity, tokenIn } from '../support/identity.ts';
import { twice } from '../support/twice.ts';

const count = z.object({ n: z.number() });

describe('a write about operators sent twice under one key', function () {
  this.timeout(60_000);
  let service: Identity;
  let commits: Commits;
  before(async () => {
    service = await startIdentity();
    commits = await watchCommits(service);
  });
  after(() => service.stop());

  const rows = () =>
    service.db.any(sql.type(count)`
      select count(*)::integer as n from admins union all select count(*)::integer from admin_sessions
      union all select count(*)::integer from admin_audit union all select count(*)::integer from mails
      union all select count(*)::integer from operator_actions union all select count(*)::integer from pauses`);
  const write = async (ask: Ask, method: string, path: string, json: object) =>
    (await commits.together(path, () => twice(ask, method, path, { json }, rows))).body;

  it('is one write', async () => {
    const { ask } = await service.admin();
    const reason = 'joins the desk';
    const email = `${fresh('invited')}@example.com`;
    const { admin_id } = await write(ask, 'POST', '/v2/admin/operators', { email, role: 'viewer', reason });
    const token = tokenIn((await service.mailTo(email)).text);
    await write(service.ask, 'POST', '/v2/admin/invitations/accept', { token, password: PASSWORD });
    const at = `/v2/admin/operators/${admin_id}`;
    await write(ask, 'PATCH', at, { role: 'support', reason });
    await write(ask, 'POST', `${at}/end-sessions`, { reason });
    await write(ask, 'POST', `${at}/reset-authenticator`, { reason });
    await write(ask, 'POST', `${at}/disable`, { reason });
    await write(ask, 'POST', `${at}/enable`, { reason });
    const { adminId } = await service.admin();
    for (const [id, verb] of [
      ['apv_1', 'approve'],
      ['apv_2', 'reject'],
    ]) {
      await service.db.query(sql.unsafe`
        insert into approvals (id, operation, digest, summary, role, requested_by, expires_at)
        values (${String(id)}, 'refundPayment', '', '{}', 'finance', ${adminId}, now() + interval '1 hour')`);
      await write(ask, 'POST', `/v2/admin/approvals/${id}/${verb}`, { reason });
    }
    await write(ask, 'POST', '/v2/admin/pauses', { subject: 'netvenue', reason });
    await write(ask, 'POST', '/v2/admin/pauses/netvenue/end', { reason });
    await write(ask, 'POST', '/v2/admin/reruns', { reason });
  });
});
