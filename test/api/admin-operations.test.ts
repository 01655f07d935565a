import { expect } from 'chai';
import {
  exhaustJobs,
  expectApiError,
  intentAt,
  lockJobs,
  type OperatorConsole,
  openOperatorConsole,
  workerSeen,
} from '../support/operator.ts';
import { nextOf } from '../support/pages.ts';

const UNKNOWN_ID = '0190aaaa-0000-7000-8000-000000000000';
const why = { json: { reason: 'it hangs' } };

describe('operations of operators on intents', () => {
  let desk: OperatorConsole;
  before(async () => {
    desk = await openOperatorConsole();
  });
  after(() => desk.stop());

  const jobsOf = (id: string) => desk.session.query('select task, attempts from ops.jobs where intent_id = $1', [id]);
  const loseJobs = (id: string) =>
    desk.session.query(`delete from queue_jobs where payload ->> 'intent_id' = $1`, [id]);

  describe('listTroubledIntents', () => {
    it('lists intents in doubt and failed ones, newest first, and others by state, kind and owner', async () => {
      const owner = 'ptn_list';
      const inDoubt = await intentAt(desk.session, 'in_doubt', { owner });
      const failed = await intentAt(desk.session, 'failed', { owner, kind: 'network/cancel' });
      const [expired, queued] = [
        await intentAt(desk.session, 'expired', { owner }),
        await intentAt(desk.session, 'queued', { owner }),
      ];
      const ids = async (query: string) =>
        (await desk.get(`/v2/admin/intents?owner=${owner}${query}`)).body.map(
          ({ intent_id }: { intent_id: string }) => intent_id,
        );

      const { status, body } = await desk.get(`/v2/admin/intents?owner=${owner}`);

      expect(status).to.equal(200);
      expect(body.map(({ intent_id }: { intent_id: string }) => intent_id)).to.deep.equal([failed, inDoubt]);
      expect(body[0]).to.deep.include({
        state: 'failed',
        effect: 'none',
        problem_code: 'VENUE_REJECTED',
        kind: 'network/cancel',
      });
      expect(body[1]).to.deep.include({
        state: 'in_doubt',
        effect: 'unknown',
        problem_code: null,
        reconcile_attempts: 1,
      });
      expect(await ids('&kind=network/cancel')).to.deep.equal([failed]);
      expect(await ids('&state=expired')).to.deep.equal([expired]);
      expect(await ids('&state=queued')).to.deep.equal([queued]);
      expect(await ids('&state=running')).to.deep.equal([]);
    });

    it('is paged without a gap and keeps its filters', async () => {
      const owner = 'ptn_pages';
      const made = [];
      for (let n = 0; n < 5; n++) made.push(await intentAt(desk.session, 'failed', { owner }));
      // all at the same time: the id decides
      await desk.session.query(`update intents set created_at = now() where owner = $1`, [owner]);

      const listed: string[] = [];
      for (let next = `/v2/admin/intents?state=failed&owner=${owner}&limit=2`; next; ) {
        const { body, headers } = await desk.get(next);
        listed.push(...body.map(({ intent_id }: { intent_id: string }) => intent_id));
        next = nextOf({ headers });
      }

      expect(listed).to.deep.equal(made.toSorted().reverse());
    });
  });

  describe('getIntentStory', () => {
    it('shows the history, the related rows, the state and the effect of a re-run', async () => {
      const request = { trader: 'entity_7', target: UNKNOWN_ID, private_key: 'canary-9c' };
      const id = await intentAt(desk.session, 'in_doubt', { kind: 'network/cancel', lane: 'story', request });
      const next = await intentAt(desk.session, 'queued', { lane: 'story' });

      const { status, body } = await desk.get(`/v2/admin/intents/${id}`);
      const behind = await desk.get(`/v2/admin/intents/${next}`);

      expect(status).to.equal(200);
      expect(body.intent).to.include({ intent_id: id, state: 'in_doubt', effect: 'unknown' });
      expect(body.timeline.map(({ what }: { what: string }) => what)).to.include.members([
        'accepted',
        'sent',
        'job',
        'now',
      ]);
      expect(body.about).to.deep.equal({ order_uuid: UNKNOWN_ID, trader: 'entity_7' });
      expect(body.lane).to.deep.equal({ name: 'story', is_head: false, waiting: 1 });
      expect(body.job).to.include({ task: 'network/cancel', attempts: 0, locked: false });
      expect(body.rerun).to.include({ verdict: 'reconcile_again', is_safe: true, was_sent: true });
      expect(behind.body.lane).to.deep.equal({ name: 'story', is_head: true, waiting: 1 });
      expect(JSON.stringify(body)).not.to.contain('canary-9c');
    });

    it('returns 404 for an unknown intent', async () =>
      expectApiError(await desk.get(`/v2/admin/intents/${UNKNOWN_ID}`), 'INTENT_UNKNOWN'));
  });

  describe('rerunIntent', () => {
    it('queues a new job for an abandoned intent, once per key, and records operator and reason', async () => {
      const id = await intentAt(desk.session, 'running');
      await exhaustJobs(desk.session, id);
      const again = () =>
        desk.post(`/v2/admin/intents/${id}/rerun`, { ...why, headers: { 'Idempotency-Key': `rerun-${id}` } });

      const [first, second] = [await again(), await again()];

      expect(first.body).to.deep.include({ done: true });
      expect(first.body.assessment).to.include({ verdict: 'queued_again', was_sent: false });
      expect(second.body).to.deep.equal(first.body);
      expect(await jobsOf(id)).to.deep.equal([{ task: 'network/place', attempts: 0 }]);
      const [stored, ...others] = await desk.storedOf(id);
      expect(others).to.deep.equal([]);
      expect(stored).to.include({ actor: `admin:${desk.admin.adminId}`, action: 'rerun' });
      expect(stored?.detail).to.include({ why: 'it hangs', done: true, verdict: 'queued_again' });
    });

    it('does nothing to a finished intent, and says so', async () => {
      const id = await intentAt(desk.session, 'succeeded');

      const { status, body } = await desk.post(`/v2/admin/intents/${id}/rerun`);

      expect(status).to.equal(200);
      expect(body).to.deep.include({ done: false });
      expect(body.assessment).to.include({ verdict: 'finished', reason: 'it has succeeded', venue_says: 'yes' });
    });

    it('rejects an intent that is executing or could take effect twice, with the reason, and records the attempt', async () => {
      const [held, unknown] = [
        await intentAt(desk.session, 'sent'),
        await intentAt(desk.session, 'sent', { kind: 'unheard/of' }),
      ];
      await lockJobs(desk.session, held, await workerSeen(desk.session, 0));
      await loseJobs(unknown);

      const [atWork, twice] = [
        await desk.post(`/v2/admin/intents/${held}/rerun`),
        await desk.post(`/v2/admin/intents/${unknown}/rerun`),
      ];

      expectApiError(atWork, 'V2_RERUN_REFUSED');
      expectApiError(twice, 'V2_RERUN_REFUSED');
      expect(atWork.body.error.message).to.match(/a living worker has had it/);
      expect(twice.body.error.message).to.equal('it was sent, and no task is known that can reconcile it');
      const [rejected, assessed] = await desk.storedOf(unknown);
      expect(rejected?.detail).to.include({ rejected: 'V2_RERUN_REFUSED' });
      expect(assessed?.detail).to.include({ done: false, verdict: 'would_act_twice' });
    });

    it('requires a reason and an existing intent', async () => {
      const id = await intentAt(desk.session, 'queued');
      for (const json of [{}, { reason: '' }, { reason: '     ' }, { reason: 'x'.repeat(501) }])
        expectApiError(await desk.post(`/v2/admin/intents/${id}/rerun`, { json }), 'INVALID_REQUEST');

      expectApiError(await desk.post(`/v2/admin/intents/${UNKNOWN_ID}/rerun`), 'INTENT_UNKNOWN');
      const stored = await desk.storedOf(id);
      expect(stored.map(({ detail }) => detail.rejected)).to.deep.equal(Array(4).fill('INVALID_REQUEST'));
    });
  });

  describe('listOperatorActions', () => {
    it('lists actions over HTTP and in psql, newest first, in pages', async () => {
      const id = await intentAt(desk.session, 'succeeded');
      await desk.post(`/v2/admin/intents/${id}/rerun`);
      await desk.session.query(`select * from ops.rerun($1, 'ada at psql', 'to be sure')`, [id]);
      const enrolled = await desk.service.admin();

      const all = await desk.get('/v2/admin/audit?limit=3');
      const first = await desk.get(`/v2/admin/audit?subject=${id}&limit=1`);
      const second = await desk.get(nextOf(first));

      expect(all.body.map(({ action }: { action: string }) => action)).to.deep.equal([
        'admin.totp_confirm',
        'admin.totp_enroll',
        'admin.login',
      ]);
      expect(all.body[0]).to.include({ actor: `admin:${enrolled.adminId}`, subject: enrolled.adminId });
      const [me] = await desk.session.query<{ login: string }>('select session_user as login');
      expect(first.body[0]).to.include({ actor: me?.login, subject: id });
      expect(first.body[0].detail).to.include({ given_name: 'ada at psql' });
      expect(second.body[0]).to.include({ actor: `admin:${desk.admin.adminId}`, action: 'rerun' });
      expect(nextOf(second)).to.equal('');
    });
  });
});
