import { sql } from 'slonik';
import { z } from 'zod';
import { bearer, asking as byHand, fresh, type TestAdmin } from '../identity.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const APPS = '/v2/admin/apps';
const reason = 'asked by phone';

/** What operators do for apps, partners and users, and to jobs and pauses. */
export function tenantScenes({ service, asking, counts }: Stage): Scenes {
  const admin = async () => {
    const made = await service().admin();
    return { ask: asking(bearer(made.token)), setUp: byHand(service().url, bearer(made.token)) };
  };
  /** An app that is created with these members, after one with those of `taken`; then with `free` ones. */
  const creating = (taken: object | null, wrong: object, free: object) => async (): Promise<Scene> => {
    const { ask, setUp } = await admin();
    const app = (more: object) => ({ name: 'App', slug: fresh('app'), scopes: ['api'], ...more });
    if (taken) await setUp('POST', APPS, { json: app(taken) });
    const [first, second] = [app(wrong), app(free)];
    return {
      makes: counts.rows('apps'),
      send: (key) => ask('POST', APPS, keyed(key, first)),
      instead: (key) => ask('POST', APPS, keyed(key, second)),
    };
  };
  const [slug, hotkey] = [fresh('taken'), fresh('hotkey')];
  const network = (entity_hotkey: string) => ({ entity_hotkey, network_api_key: 'key' });
  return {
    V2_APP_SLUG_TAKEN: () => creating({ slug: `${slug}-s` }, { slug: `${slug}-s` }, {})(),
    V2_APP_HOTKEY_TAKEN: creating(network(hotkey), network(hotkey), network(fresh('hotkey'))),
    V2_APP_CREDENTIALS_MISMATCH: creating(null, { entity_hotkey: fresh('hotkey') }, {}),
    async V2_APP_UNKNOWN() {
      const [{ ask }, app] = [await admin(), await service().app(['api'])];
      const rotate = (id: string) => (key: string) => ask('POST', `${APPS}/${id}/rotate-secret`, keyed(key, {}));
      return { makes: counts.rows('app_secrets'), send: rotate(`app_${'n'.repeat(22)}`), instead: rotate(app.appId) };
    },
    async V2_APP_REQUEST_UNKNOWN() {
      const [{ ask }, id] = [await admin(), await filed()];
      const decline = (request: string) => (key: string) =>
        ask('POST', `/v2/admin/app-requests/${request}/decline`, keyed(key, { reason }));
      return {
        makes: counts.rows(`app_requests where status = 'declined'`),
        send: decline(`req_${'n'.repeat(22)}`),
        instead: decline(id),
      };
    },
    async V2_APP_REQUEST_DECIDED() {
      const [{ ask, setUp }, id] = [await admin(), await filed()];
      await setUp('POST', `/v2/admin/app-requests/${id}/decline`, { json: { reason } });
      return {
        shows: (requests) => requests.some(({ request_id }: { request_id: string }) => request_id === id),
        send: (key) =>
          ask('POST', `/v2/admin/app-requests/${id}/approve`, keyed(key, { entity_hotkey: fresh('hotkey') })),
        instead: () => ask('GET', '/v2/admin/app-requests?status=declined&limit=200'),
      };
    },
    async V2_PARTNER_UNKNOWN() {
      const [{ ask }, { owner }] = [await admin(), await service().partner()];
      const mint = (id: string) => (key: string) => ask('POST', `/v2/admin/partners/${id}/keys`, keyed(key, {}));
      return { makes: counts.rows('partner_keys'), send: mint(`ptn_${'n'.repeat(22)}`), instead: mint(owner) };
    },
    async V2_PARTNER_KEY_UNKNOWN() {
      const [{ ask, setUp }, { owner }] = [await admin(), await service().partner()];
      const { key_id } = (await setUp('POST', `/v2/admin/partners/${owner}/keys`, { json: {} })).body;
      const revoke = (id: string) => (key: string) => ask('DELETE', `/v2/admin/partner-keys/${id}`, keyed(key));
      return {
        makes: counts.rows('partner_keys where revoked_at is not null'),
        send: revoke(`pky_${'n'.repeat(22)}`),
        instead: revoke(key_id),
      };
    },
    async V2_USER_UNKNOWN() {
      const [{ ask }, user] = [await admin(), await service().user(service().tenant)];
      const end = (id: string) => (key: string) =>
        ask('POST', `/v2/admin/users/${id}/end-sessions`, keyed(key, { reason }));
      return {
        makes: counts.rows('user_sessions where revoked_at is not null'),
        send: end(`usr_${'n'.repeat(22)}`),
        instead: end(user.userId),
      };
    },
    async V2_JOB_UNKNOWN() {
      const [{ ask }, job] = [await admin(), await dead('webhooks/sweep')];
      let found: { job_id: string } | undefined;
      return {
        makes: counts.rows(`queue_jobs where id = ${job} and attempts < max_attempts`),
        send: (key) => ask('POST', '/v2/admin/jobs/999999999/rerun', keyed(key, { reason })),
        async instead(key) {
          const { body } = await ask('GET', '/v2/admin/jobs/dead?limit=200');
          found ??= body.find(({ job_id }: { job_id: string }) => job_id === job);
          return ask('POST', `/v2/admin/jobs/${found?.job_id}/rerun`, keyed(key, { reason }));
        },
      };
    },
    async V2_RERUN_REFUSED() {
      const [{ ask }, job] = [await admin(), await dead('orders/nobody')];
      return {
        shows: (jobs) => jobs.some(({ job_id }: { job_id: string }) => job_id === job),
        send: (key) => ask('POST', `/v2/admin/jobs/${job}/rerun`, keyed(key, { reason })),
        instead: () => ask('GET', '/v2/admin/jobs/dead?limit=200'),
      };
    },
    async V2_PAUSE_UNKNOWN() {
      const [{ ask, setUp }, { owner }, other] = [await admin(), await service().partner(), await service().partner()];
      await setUp('POST', '/v2/admin/pauses', { json: { subject: owner, reason } });
      const end = (subject: string, key: string) =>
        ask('POST', `/v2/admin/pauses/${subject}/end`, keyed(key, { reason }));
      const before = await counts.rows('pauses')();
      let found: { subject: string } | undefined;
      return {
        makes: async () => before - (await counts.rows('pauses')()),
        send: (key) => end(other.owner, key),
        async instead(key) {
          const { pauses } = (await ask('GET', '/v2/admin/pauses')).body;
          found ??= pauses.find(({ subject }: { subject: string }) => subject === owner);
          return end(found?.subject ?? '', key);
        },
      };
    },
  };

  async function filed(): Promise<string> {
    const json = { company_name: 'Example', slug: fresh('tenant'), contact_email: `${fresh('dev')}@example.com` };
    const { body } = await service().ask('POST', '/v2/app-requests', { json: { ...json, use_case: 'Challenges' } });
    return body.request_id;
  }

  /** A job without attempts left. */
  async function dead(task: string): Promise<string> {
    const id = await service().db.oneFirst(sql.type(z.object({ id: z.string() }))`
      select (graphile_worker.add_job(${task}, '{"event_id": "evt_gone"}', run_at => now() + interval '1 hour')).id::text as id`);
    await service().db.query(sql.unsafe`update queue_jobs set attempts = max_attempts where id = ${id}`);
    return id;
  }
}

/** Where some requests of operators need a second operator. */
export function approvalScenes({ service, asking, counts }: Stage): Scenes {
  const APPROVALS = '/v2/admin/approvals';
  const two = async () => [await service().admin(), await service().admin()] as const;
  const approve = (by: TestAdmin, id: string) => (key: string) =>
    asking(bearer(by.token))('POST', `${APPROVALS}/${id}/approve`, keyed(key, { reason }));
  const asked = async (by: TestAdmin) =>
    (await by.ask('POST', '/v2/admin/partners', { json: { name: fresh('partner') } })).body.error.approval_id;
  return {
    async V2_APPROVAL_REQUIRED() {
      const [one, other] = await two();
      const name = fresh('partner');
      return {
        isFollowed: true,
        makes: counts.rows(`partners where name = '${name}'`),
        heal: ({ headers }) => other.ask('POST', `${headers.get('location')}/approve`, { json: { reason } }),
        send: (key) => asking(bearer(one.token))('POST', '/v2/admin/partners', keyed(key, { name })),
      };
    },
    async V2_APPROVAL_UNKNOWN() {
      const [one, other] = await two();
      const approved = counts.rows(`approvals where decision = 'approved'`);
      return {
        makes: approved,
        send: approve(other, `apv_${'n'.repeat(22)}`),
        instead: approve(other, await asked(one)),
      };
    },
    async V2_APPROVAL_DECIDED() {
      const [one, other] = await two();
      const [id, anew] = [await asked(one), await asked(one)];
      await other.ask('POST', `${APPROVALS}/${id}/reject`, { json: { reason } });
      return {
        makes: counts.rows(`approvals where decision = 'approved'`),
        send: approve(other, id),
        async instead(key) {
          const { body } = await other.ask('GET', `${APPROVALS}?limit=200`);
          const found = body.find(({ approval_id }: { approval_id: string }) => approval_id === id);
          return approve(other, found.status === 'rejected' ? anew : id)(key);
        },
      };
    },
  };
}
