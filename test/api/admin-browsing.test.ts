import { expect } from 'chai';
import {
  expectApiError,
  failedAccount,
  intentAt,
  lose,
  type OperatorConsole,
  openOperatorConsole,
} from '../support/operator.ts';
import { nextOf } from '../support/pages.ts';

describe('what operators browse', () => {
  let desk: OperatorConsole;
  before(async () => {
    desk = await openOperatorConsole();
  });
  after(() => desk.stop());

  describe('listOrdersOfTrader', () => {
    const trader = 'entity_12';
    before(async () => {
      for (const [n, state] of (['succeeded', 'failed', 'queued', 'expired', 'succeeded'] as const).entries()) {
        const id = await intentAt(desk.session, state, { owner: 'app_1' });
        await desk.session.query(
          `insert into orders (id, venue, owner, trader, pair, handle, terms, lifecycle, created_at)
           values ($1, 'netvenue', 'app_1', $2, 'BTCUSDC', $1::uuid::text, '{"canary": 1}', $3, now() - make_interval(hours => $4))`,
          [id, trader, ['filled', null, null, null, 'resting'][n], n],
        );
      }
    });

    const read = async (query = '') =>
      (await desk.get(`/v2/admin/orders?trader=${trader}${query}`)).body as {
        state: string;
        lifecycle: string | null;
      }[];
    const shown = (rows: { state: string; lifecycle: string | null }[]) =>
      rows.map(({ state, lifecycle }) => lifecycle ?? state);

    it('are all orders of one trader, newest first, in pages', async () => {
      const first = await desk.get(`/v2/admin/orders?trader=${trader}&limit=3`);
      const second = await desk.get(nextOf(first));

      expect(shown([...first.body, ...second.body])).to.deep.equal([
        'filled',
        'failed',
        'queued',
        'expired',
        'resting',
      ]);
      expect(JSON.stringify(first.body)).not.to.include('canary');
      expect((await desk.get('/v2/admin/orders?trader=entity_13')).body).to.deep.equal([]);
    });

    for (const [state, found] of [
      ['open', ['queued']],
      ['resting', ['resting']],
      ['filled', ['filled']],
      ['cancelled', []],
      ['failed', ['failed']],
      ['expired', ['expired']],
    ] as const)
      it(`are those in a state: ${state}`, async () => {
        expect(shown(await read(`&state=${state}`))).to.deep.equal(found);
      });

    it('are those of a time', async () => {
      const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

      expect(shown(await read(`&from=${at(2.5)}&to=${at(0.5)}`))).to.deep.equal(['failed', 'queued']);
    });
  });

  describe('listDisputes', () => {
    it('lists what needs a response first, then the newest', async () => {
      for (const [n, status] of ['won', 'needs_response', 'lost'].entries()) {
        const { paymentId } = await failedAccount(desk.session);
        await lose(desk.session, paymentId, { kind: 'dispute', id: `du_${n}`, cents: 19_900, status });
      }
      const all = await desk.get('/v2/admin/disputes?limit=2');
      const rest = await desk.get(nextOf(all));
      const open = await desk.get('/v2/admin/disputes?open=true');

      expect(all.body[0]).to.deep.include({
        dispute_id: 'du_1',
        status: 'needs_response',
        needs_response: true,
        amount_cents: 19_900,
      });
      expect([...all.body, ...rest.body]).to.have.length(3);
      expect((await desk.get('/v2/admin/disputes?cursor=du_1')).status).to.equal(422); // it does not say where it stood
      expect(open.body.map(({ dispute_id }: { dispute_id: string }) => dispute_id)).to.deep.equal(['du_1']);
    });

    it('says whose money is gone: not that of an inquiry, which withdraws nothing', async () => {
      const { paymentId } = await failedAccount(desk.session);
      await lose(desk.session, paymentId, {
        kind: 'dispute',
        id: 'du_i',
        cents: 100,
        status: 'warning_needs_response',
      });

      const { body } = await desk.get('/v2/admin/disputes');

      const gone = body.map((each: { status: string; is_money_gone: boolean }) => [each.status, each.is_money_gone]);
      expect(Object.fromEntries(gone)).to.deep.equal({
        ...{ needs_response: true, lost: true },
        ...{ won: false, warning_needs_response: false },
      });
    });
  });

  describe('listDisputes, while they are answered', () => {
    for (const filter of ['open=true', 'open=false'])
      it(`continues after the last dispute shown, even if that needs no response any more: ${filter}`, async () => {
        const made_at_ms = Date.now();
        const payments = new Map<string, string>();
        for (const n of [1, 2, 3])
          payments.set(`du_${filter.slice(5)}_${n}`, (await failedAccount(desk.session)).paymentId);
        const told = (id: string, status: string) =>
          lose(desk.session, String(payments.get(id)), { kind: 'dispute', id, cents: 19_900, status, made_at_ms });
        for (const id of payments.keys()) await told(id, 'needs_response');

        const shown: string[] = [];
        for (let next = `/v2/admin/disputes?${filter}&limit=1`; next && shown.length < 3; ) {
          const page = await desk.get(next);
          const [{ dispute_id, status }] = page.body;
          expect([page.status, status]).to.deep.equal([200, 'needs_response']);
          shown.push(dispute_id);
          await told(dispute_id, 'under_review');
          next = nextOf(page);
        }

        expect(shown).to.have.members([...payments.keys()]);
      });
  });

  describe('listTroubledDeliveries', () => {
    const found = async (query: string) =>
      (await desk.get(`/v2/admin/deliveries?${query}`)).body.map(
        (row: { event_type: string; endpoint_id: string }) => `${row.event_type} ${row.endpoint_id}`,
      );
    before(async () => {
      await desk.session.query(`
        insert into partners (id, name) values ('ptn_d', 'A partner');
        insert into webhook_endpoints (id, owner, url, events)
        values ('whe_1', 'app_1', 'https://a.example.com', '{*}'), ('whe_2', 'app_1', 'https://b.example.com', '{*}'), ('whe_3', 'ptn_d', 'https://c.example.com', '{*}')`);
      for (const [owner, type] of [
        ['app_1', 'payment.succeeded'],
        ['app_1', 'kyc.updated'],
        ['app_1', 'payment.succeeded'],
        ['ptn_d', 'order.updated'],
      ])
        await desk.session.query(`select emit_event($1, $2, '{}'), pg_sleep(0.002)`, [owner, type]); // ids are ordered by milliseconds
      await desk.session.query(
        `update webhook_deliveries set state = 'delivered', ended_at = now() where endpoint_id <> 'whe_2'`,
      );
    });

    it('lists those that were delivered, of all owners or one, newest first, in pages', async () => {
      expect(await found('state=delivered')).to.deep.equal([
        'order.updated whe_3',
        'payment.succeeded whe_1',
        'kyc.updated whe_1',
        'payment.succeeded whe_1',
      ]);
      expect(await found('state=delivered&app_id=ptn_d')).to.deep.equal(['order.updated whe_3']);
      const first = await desk.get('/v2/admin/deliveries?state=delivered&app_id=app_1&limit=2');
      const second = await desk.get(nextOf(first));
      expect([first.body.length, second.body.length]).to.deep.equal([2, 1]);
    });

    it('lists those of a type of event, of one owner', async () => {
      expect(await found('state=delivered&app_id=app_1&event_type=payment.succeeded')).to.have.length(2);
      expect(await found('state=pending&app_id=app_1&event_type=kyc.updated')).to.deep.equal(['kyc.updated whe_2']);
      expectApiError(await desk.get('/v2/admin/deliveries?event_type=kyc.updated'), 'INVALID_REQUEST');
      const first = await desk.get(
        '/v2/admin/deliveries?state=delivered&app_id=app_1&event_type=payment.succeeded&limit=1',
      );
      const second = await desk.get(nextOf(first));
      expect([first.body.length, second.body.length]).to.deep.equal([1, 1]);
      expect(first.body[0].delivery_id).not.to.equal(second.body[0].delivery_id);
    });

    it('lists those of a time', async () => {
      const hour = (by: number) => new Date(Date.now() + by * 3_600_000).toISOString();

      for (const filter of [
        'state=pending',
        'state=delivered',
        'state=delivered&app_id=app_1',
        'state=delivered&app_id=app_1&event_type=kyc.updated',
      ]) {
        expect(await found(`${filter}&from=${hour(-1)}&to=${hour(1)}`), filter).not.to.deep.equal([]);
        expect(await found(`${filter}&from=0001-01-01T00:00:00Z`), filter).not.to.deep.equal([]);
        expect(await found(`${filter}&from=${hour(1)}`), filter).to.deep.equal([]);
        expect(await found(`${filter}&to=1969-12-31T23:59:59Z`), filter).to.deep.equal([]);
        expect(await found(`${filter}&to=${hour(-1)}`), filter).to.deep.equal([]);
      }
    });

    it('lists of those that wait for an endpoint the 1,000 that are due first: a receiver that is away leaves millions', async () => {
      await desk.session.query(`
        insert into webhook_endpoints (id, owner, url, events) values ('whe_4', 'app_1', 'https://d.example.com', '{none}')`);
      await desk.session.query(`
        insert into webhook_deliveries (id, owner, endpoint_id, event_id, due_at)
        select sortable_id('whd'), 'app_1', 'whe_4', v.id, now() + make_interval(secs => v.position)
        from record_events('app_1', 'a.b', array(select '{}'::jsonb from generate_series(1, 1050))) v`);

      const rows: { endpoint_id: string; due_at: string }[] = [];
      for (let path = '/v2/admin/deliveries?state=pending&limit=500'; path !== ''; ) {
        const page = await desk.get(path);
        rows.push(...page.body);
        path = nextOf(page);
      }
      const [{ last } = { last: '' }] = await desk.session.query<{ last: string }>(`
        select d.due_at as last from webhook_deliveries d where d.endpoint_id = 'whe_4' order by d.due_at offset 999 limit 1`);

      const due = rows.filter(({ endpoint_id }) => endpoint_id === 'whe_4').map(({ due_at }) => Date.parse(due_at));
      expect(due).to.have.length(1_000);
      expect(Math.max(...due)).to.equal(new Date(last).getTime());
    });
  });

  describe('assessReruns and rerunIntents', () => {
    it('say what would happen to the open intents of a filter, then do what is safe, each on record', async () => {
      const owner = 'app_r';
      const stuck = await intentAt(desk.session, 'queued', { owner });
      const doubted = await intentAt(desk.session, 'in_doubt', { owner });
      await desk.session.query('delete from queue_jobs');
      await intentAt(desk.session, 'queued', { owner: 'app_1' });

      const { assessments } = (await desk.get(`/v2/admin/reruns?owner=${owner}`)).body;
      const { results } = (await desk.post('/v2/admin/reruns', { json: { owner, reason: 'the workers were away' } }))
        .body;
      const after = (await desk.get(`/v2/admin/reruns?owner=${owner}`)).body.assessments;

      const counts = (rows: { verdict: string; intents: number }[]) =>
        Object.fromEntries(rows.map(({ verdict, intents }) => [verdict, intents]));
      expect(counts(assessments)).to.deep.equal({ queued_again: 1, reconcile_again: 1 });
      expect(results.every(({ done }: { done: boolean }) => done)).to.equal(true);
      expect(counts(after)).to.deep.equal({ at_work: 1, reconcile_again: 1 });
      for (const id of [stuck, doubted])
        expect((await desk.storedOf(id))[0]).to.include({ action: 'rerun', actor: `admin:${desk.admin.adminId}` });
      expect((await desk.get(`/v2/admin/reruns?owner=${owner}&state=in_doubt`)).body.assessments).to.have.length(1);
      expect((await desk.get(`/v2/admin/reruns?owner=${owner}&kind=kyc/session`)).body.assessments).to.deep.equal([]);
    });
  });
});
