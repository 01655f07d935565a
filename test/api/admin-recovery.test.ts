import { expect } from 'chai';
import {
  exhaustJobs,
  expectApiError,
  failedAccount,
  intentAt,
  type OperatorConsole,
  openOperatorConsole,
  returnMoney,
  workerSeen,
} from '../support/operator.ts';
import { nextOf } from '../support/pages.ts';

describe('operations of operators on deliveries, the queue and accounts', () => {
  let desk: OperatorConsole;
  before(async () => {
    desk = await openOperatorConsole();
  });
  after(() => desk.stop());

  describe('deliveries', () => {
    let delivery: string;
    beforeEach(async () => {
      const endpoint = `whe_${Math.random().toString(36).slice(2)}`;
      await desk.session.query(
        `insert into webhook_endpoints (id, owner, url, events) values ($1, 'app_1', 'https://hooks.example.com/in?token=canary-77', '{*}')`,
        [endpoint],
      );
      await desk.session.query(`select emit_event('app_1', 'payment.succeeded', '{}')`);
      const [row] = await desk.session.query<{ id: string }>(
        `update webhook_deliveries set state = 'failed', ended_at = now(), attempts = 10, error = 'timeout'
         where endpoint_id = $1
         returning id`,
        [endpoint],
      );
      delivery = String(row?.id);
    });

    describe('listTroubledDeliveries', () => {
      it('lists failed deliveries of every app or one, newest first, in pages', async () => {
        const first = await desk.get('/v2/admin/deliveries?limit=1');
        const others = await desk.get('/v2/admin/deliveries?app_id=app_other');
        const cancelled = await desk.get('/v2/admin/deliveries?state=cancelled');

        expect(first.body).to.have.length(1);
        expect(first.body[0]).to.deep.include({
          delivery_id: delivery,
          app_id: 'app_1',
          url: 'https://hooks.example.com/in',
          event_type: 'payment.succeeded',
          state: 'failed',
          attempts: 10,
          error: 'timeout',
        });
        expect(others.body).to.deep.equal([]);
        expect(cancelled.body).to.deep.equal([]);
      });
    });

    describe('retryDelivery', () => {
      it('queues a delivery again and records operator and reason', async () => {
        const { status, body } = await desk.post(`/v2/admin/deliveries/${delivery}/retry`);

        expect(status).to.equal(200);
        expect(body).to.include({ delivery_id: delivery, state: 'pending', ended_at: null });
        expect((await desk.storedOf(delivery))[0]).to.include({
          action: 'retry_delivery',
          actor: `admin:${desk.admin.adminId}`,
        });
      });

      it('rejects an inactive endpoint and an unknown delivery', async () => {
        await desk.session.query(
          `select deactivate_endpoint(d.endpoint_id, 'asked') from webhook_deliveries d where d.id = $1`,
          [delivery],
        );

        expectApiError(await desk.post(`/v2/admin/deliveries/${delivery}/retry`), 'V2_WEBHOOK_INACTIVE');
        expectApiError(await desk.post('/v2/admin/deliveries/whd_nobody/retry'), 'V2_WEBHOOK_DELIVERY_UNKNOWN');
        const [stored] = await desk.storedOf(delivery);
        expect(stored?.detail).to.deep.equal({ rejected: 'V2_WEBHOOK_INACTIVE', why: 'it hangs' });
      });
    });
  });

  describe('listDeadJobs and rerunDeadJob', () => {
    const dead = async (task: string) => {
      const [job] = await desk.session.query<{ id: string }>(
        `select (graphile_worker.add_job($1, '{"event_id": "evt_gone"}', run_at => now() + interval '1 hour')).id::text`,
        [task],
      );
      await desk.session.query('update queue_jobs set attempts = max_attempts where id = $1', [job?.id]);
      return String(job?.id);
    };
    const listed = async () =>
      (await desk.get('/v2/admin/jobs/dead')).body.map(({ job_id }: { job_id: string }) => job_id);

    it('run a dead job again, once, and record operator and reason', async () => {
      const job = await dead('webhooks/sweep');
      const before = await listed();
      const first = await desk.post(`/v2/admin/jobs/${job}/rerun`);
      const again = await desk.post(`/v2/admin/jobs/${job}/rerun`);

      expect(before).to.include(job);
      expect(first.body).to.deep.include({ done: true });
      expectApiError(again, 'V2_RERUN_REFUSED');
      expect(await listed()).not.to.include(job);
      const stored = await desk.storedOf(job);
      expect(stored.at(-1)).to.include({ action: 'rerun_job', actor: `admin:${desk.admin.adminId}` });
      expect(JSON.stringify(stored)).to.include('it hangs');
    });

    it('run it once, and say so to a repeat of a request whose response could not be stored', async () => {
      const job = await dead('webhooks/sweep');
      const request = { json: { reason: 'it hangs' }, headers: { 'Idempotency-Key': `rerun-${job}` } };
      const send = () => desk.post(`/v2/admin/jobs/${job}/rerun`, request);
      await desk.session.query(`
        create function at_storing() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$;
        create trigger at_storing before update on idempotent_responses for each row execute function at_storing()`);
      const lost = await send();
      await desk.session.query('drop function at_storing() cascade');

      const [again, twice] = [await send(), await send()];

      expect([lost.status, again.status, twice.status], JSON.stringify(again.body)).to.deep.equal([500, 200, 200]);
      expect([again.body.done, twice.body.done]).to.deep.equal([true, true]);
      expect(await desk.storedOf(job)).to.have.length(1);
    });

    it('continue on the next page after a job that was run again meanwhile', async () => {
      const jobs = [await dead('webhooks/sweep'), await dead('webhooks/sweep')];
      const first = await desk.get('/v2/admin/jobs/dead?limit=1');
      await desk.post(`/v2/admin/jobs/${jobs[1]}/rerun`);

      const next = await desk.get(nextOf(first));

      expect([first, next].map(({ body }) => body[0]?.job_id)).to.deep.equal(jobs.reverse());
    });

    it('leave a job alone that has nothing left to do, that is of an unknown task or that does not exist', async () => {
      const [finished, unknown] = [await dead('payments/notified'), await dead('orders/nobody')];

      expect((await desk.post(`/v2/admin/jobs/${finished}/rerun`)).body).to.deep.include({ done: false });
      expectApiError(await desk.post(`/v2/admin/jobs/${unknown}/rerun`), 'V2_RERUN_REFUSED');
      expectApiError(await desk.post('/v2/admin/jobs/999999999/rerun'), 'V2_JOB_UNKNOWN');
      expect((await desk.post('/v2/admin/jobs/x1/rerun')).status).to.equal(422);
    });
  });

  describe('listUnfulfilledPayments', () => {
    it('continues on the next page after a payment that was refunded meanwhile', async () => {
      const payments = [await failedAccount(desk.session), await failedAccount(desk.session)];
      const all = await desk.get('/v2/admin/payments/unfulfilled?minutes=0');
      const first = await desk.get('/v2/admin/payments/unfulfilled?minutes=0&limit=1');
      await returnMoney(desk.session, first.body[0].payment_id);

      const next = await desk.get(nextOf(first).replace('limit=1', 'limit=500'));

      expect(all.body).to.have.length.at.least(payments.length);
      expect([...first.body, ...next.body]).to.deep.equal(all.body);
    });
  });

  describe('listLedgerDifferences', () => {
    it('goes on in pages behind one that was settled meanwhile', async () => {
      const [one, two] = [await failedAccount(desk.session), await failedAccount(desk.session)];
      const insert = `insert into balance_differences values ($1, 'usd', 1, 2, now()), ($2, 'usd', 1, 2, now() + interval '1 s')`;
      await desk.session.query(insert, [one.paymentId, two.paymentId]);
      const first = await desk.get('/v2/admin/ledger/differences?limit=1');
      await desk.session.query('delete from balance_differences where subject = $1', [one.paymentId]);

      const next = await desk.get(nextOf(first));

      expect([first, next].map(({ body }) => body[0]?.subject)).to.deep.equal([one.paymentId, two.paymentId]);
    });
  });

  describe('getQueueHealth', () => {
    it('counts and ages jobs, intents, lanes, deliveries, workers and open debts', async () => {
      const health = async () => (await desk.get('/v2/admin/queue')).body;
      const before_ = await health();
      const stuck = await intentAt(desk.session, 'queued', { lane: 'health', kind: 'network/edit' });
      await desk.session.query(`delete from queue_jobs where payload ->> 'intent_id' = $1`, [stuck]);
      await exhaustJobs(desk.session, await intentAt(desk.session, 'queued', { kind: 'network/edit' }));
      await workerSeen(desk.session, 5);
      await failedAccount(desk.session);

      const now = await health();

      expect(now.tasks.find(({ task }: { task: string }) => task === 'network/edit')).to.deep.equal({
        task: 'network/edit',
        ready: 0,
        planned: 0,
        running: 0,
        dead: 1,
        oldest_ready_s: null,
      });
      expect(now.intents.find(({ kind }: { kind: string }) => kind === 'network/edit')).to.include({
        state: 'queued',
        count: 2,
      });
      expect(now.lanes.stuck).to.equal(before_.lanes.stuck + 1);
      expect(now.workers).to.have.length(before_.workers.length + 1);
      expect(now.unfulfilled_payments).to.equal(before_.unfulfilled_payments + 1);
    });
  });

  describe('listFailedAccounts', () => {
    it('lists those of every app, newest first, in pages, with the safe actions', async () => {
      const [older, newer] = [await failedAccount(desk.session), await failedAccount(desk.session, { paid: false })];

      const first = await desk.get('/v2/admin/prop-accounts/failed?limit=1');
      const second = await desk.get(nextOf(first));

      expect(first.body).to.have.length(1);
      expect(first.body[0]).to.include({ id: newer.id, app_id: 'app_1', payment_id: null, account_size: 25_000 });
      expect(second.body[0]).to.include({
        id: older.id,
        payment_id: older.paymentId,
        safe_action: 'provision again, or refund',
        failure_reason: 'said_no',
      });
    });
  });

  describe('abandonPropAccount', () => {
    it('is rejected while the payment is not returned, and removes the account from the lists afterwards', async () => {
      const { id, paymentId } = await failedAccount(desk.session);
      const listed = async () => {
        const { body } = await desk.get('/v2/admin/prop-accounts/failed?limit=200');
        return body.some((account: { id: string }) => account.id === id);
      };

      expectApiError(await desk.post(`/v2/admin/prop-accounts/${id}/abandon`), 'V2_ACCOUNT_OWES');
      expect(await listed()).to.equal(true);
      await returnMoney(desk.session, paymentId);
      const { status, body } = await desk.post(`/v2/admin/prop-accounts/${id}/abandon`);

      expect(status).to.equal(200);
      expect(body).to.include({ id, status: 'subaccount_failed' });
      expect(await listed()).to.equal(false);
      expectApiError(await desk.post(`/v2/admin/prop-accounts/${id}/abandon`), 'V2_ACCOUNT_NOT_FAILED');
      expectApiError(await desk.post(`/v2/admin/prop-accounts/${id}/provision`), 'V2_ACCOUNT_NOT_FAILED');
      expectApiError(await desk.post('/v2/admin/prop-accounts/prop_nobody/abandon'), 'V2_PROP_ACCOUNT_UNKNOWN');
    });
  });
});
