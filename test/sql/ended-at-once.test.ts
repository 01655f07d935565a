import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

describe('what another transaction ends at the same moment', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  afterEach(() => intentDb.close());

  /** The result of a call that begins when the first one was made, and before it is committed. */
  async function beside<T extends object>(first: string, call: string): Promise<T | undefined> {
    return (await intentDb.beside<T>(first, call)).second[0];
  }

  describe('a mail that two workers have sent', () => {
    let mail: string;
    beforeEach(async () => {
      mail = item().id;
      await intentDb.query(`select post_mail($1, 'notification', 'a@x', '{}', null, 600, 'app_1', 'usr_1')`, [mail]);
      await intentDb.query(`delete from queue_jobs`);
    });
    const ended = () => intentDb.query(`select state, fault, attempts from mails where id = $1`, [mail]);
    const events = () => intentDb.query(`select from events where type = 'notification.failed'`);

    it('ends once, as the first of them says', async () => {
      expect(
        await beside(`select end_mail('${mail}', 'sent', null)`, `select end_mail('${mail}', 'refused', 'full') as ok`),
      ).to.deep.equal({ ok: false });

      expect(await ended()).to.deep.equal([{ state: 'sent', fault: null, attempts: 1 }]);
      expect(await events()).to.deep.equal([]);
    });

    it('is not planned again by the other', async () => {
      expect(
        await beside(`select end_mail('${mail}', 'sent', null)`, `select retry_mail('${mail}', 2, 'TIMEOUT') as ok`),
      ).to.deep.equal({ ok: false });

      expect(await ended()).to.deep.equal([{ state: 'sent', fault: null, attempts: 1 }]);
      expect(await intentDb.query(`select from queue_jobs where task = 'mail/send'`)).to.deep.equal([]);
    });
  });

  it('is no worker that sends its heartbeat again: it keeps its jobs', async () => {
    await intentDb.query(`update worker_processes set seen_at = now() - interval '1 minute'`);

    expect(
      await beside(
        `update worker_processes set seen_at = now()`,
        `select reap_dead_workers(gen_random_uuid(), 2, 8, 60) as dead`,
      ),
    ).to.deep.equal({ dead: 0 });

    expect(await intentDb.query('select from worker_processes')).to.have.length(1);
  });

  it('is no endpoint whose former address is gone: it has just got another one', async () => {
    await intentDb.query('update webhook_endpoints set failing_since = now()');
    const gone = JSON.stringify({ ending: 'gone', url: 'https://example.com', delivery_id: 'whd_1' });

    await beside(
      `update webhook_endpoints set url = 'https://other.example'`,
      `select note_ending('whe_1', '${gone}')`,
    );

    expect(await intentDb.query('select active from webhook_endpoints')).to.deep.equal([{ active: true }]);
  });

  it('is not run again a second time: a dead job that another operator has just queued', async () => {
    await intentDb.query(`
      delete from queue_jobs;
      select graphile_worker.add_job('payments/read', '{"payment_id": "pay_1"}');
      update queue_jobs set attempts = max_attempts`);
    const rerun = `select r.verdict, r.done from queue_jobs j cross join rerun_dead_job(j.id, 'op', 'asked') r`;

    expect(await beside(rerun, rerun)).to.deep.equal({ verdict: 'at_work', done: false });
  });

  it('is a secret that is replaced as stolen: it sets no endpoint', async () => {
    const used = await beside(
      `update app_secrets set expires_at = now() where id = 'sec_1'`,
      `select use_credentials('sec_1') is null as is_rejected`,
    );

    expect(used).to.deep.equal({ is_rejected: true });
  });
});
