import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sealedColumns } from '../../src/db/reseal.ts';
import { type DbSession, type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

const DENIED = '42501';
const APPEND_ONLY = [
  ...['admin_audit', 'operator_actions', 'agreement_signatures', 'statement_lines'],
  ...['ledger_accounts', 'ledger_transactions', 'ledger_entries'],
];
const COLUMN: Record<string, string> = {
  operator_actions: 'subject',
  statement_lines: 'reference',
  ledger_accounts: 'currency',
  ledger_transactions: 'subject',
  ledger_entries: 'currency',
};

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The statements of the service, without comments. */
async function readCode(): Promise<string[]> {
  const files = await Array.fromAsync(glob('{sql/functions/**/*.sql,src/**/*.ts}', { cwd: root }));
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return texts.map((text) => text.replace(/\/\*[\s\S]*?\*\/|^\s*(?:\/\/|--).*$/gm, ''));
}

for (const process of ['trading_web', 'trading_worker'])
  describe(`the role ${process}`, () => {
    let intentDb: IntentDatabase;
    let session: DbSession;
    before(async () => {
      intentDb = await openIntentDatabase();
      session = await intentDb.session();
      await session.query(`set role ${process}`);
    });
    after(() => intentDb.close());

    /** The result of a statement: `done`, or the SQLSTATE of its failure. Nothing of it stays. */
    const tried = async (statement: string): Promise<string> => {
      await session.query('begin');
      const outcome = await session.query(statement).then(
        () => 'done',
        (error) => error.code as string,
      );
      await session.query('rollback');
      return outcome;
    };
    const tables = async () =>
      (
        await intentDb.query<{ name: string }>(
          `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
        )
      ).map(({ name }) => name);

    it('reads every table and view, and uses the queue', async () => {
      for (const name of await tables()) expect(await tried(`select from ${name}`), name).to.equal('done');
      for (const view of ['ops.intents', 'ops.actions', 'ops.jobs', 'ops.operators', 'queue_jobs'])
        expect(await tried(`select from ${view}`), view).to.equal('done');
      expect(await tried(`select graphile_worker.add_job('webhooks/sweep', '{}')`)).to.equal('done');
      const [queued] = await session.query<{ found: boolean }>(
        `select exists (select from ${['graphile_worker', '_private_tasks'].join('.')}) as found`, // only queue_jobs.sql names the queue's own tables
      );
      expect(queued?.found).to.be.a('boolean');
    });

    it('changes no schema, empties nothing, and switches no trigger off', async () => {
      const opened: string[] = [];

      for (const name of await tables())
        for (const statement of [
          `truncate ${name}`,
          `alter table ${name} disable trigger all`,
          `drop table ${name}`,
          `create index on ${name} ((1))`,
        ])
          if ((await tried(statement)) !== DENIED) opened.push(statement);

      expect(opened).to.deep.equal([]);
      for (const statement of [
        'create table mine ()',
        'create schema mine',
        `create or replace function has_its_money(payment text) returns boolean language sql as 'select true'`,
        'create role somebody',
        `select ops.grant_access('public')`,
        'select grant_process_access()',
        `insert into migrations (name) values ('x')`,
        'delete from definitions',
        'update intent_kinds set retention = retention',
        'update recoveries set since = since',
        `insert into agreement_keys (kid, x) values ('k', 'x')`,
        'update agreement_keys set x = x',
      ])
        expect(await tried(statement), statement).to.equal(DENIED);
    });

    it('changes and deletes nothing that no code changes or deletes', async () => {
      const texts = await readCode();
      const uses = (pattern: string) => texts.some((text) => new RegExp(pattern).test(text));
      const isChanged = (name: string) =>
        uses(`\\bupdate (?:only )?${name}\\b`) ||
        uses(`\\binsert into ${name}\\b[^;\`]*\\bdo update\\b`) ||
        (process === 'trading_web' && sealedColumns.some(({ table }) => table === name));
      const isOld = (name: string) => uses(`\\bdeleteOld\\(\\s*db,\\s*'${name}'`);
      const isDeleted = (name: string) => isOld(name) || uses(`\\bdelete from ${name}\\b`);
      const isLockedAndDeleted = (name: string) =>
        isOld(name) ||
        texts.some((text) => new RegExp(`\\bdelete from ${name}\\b`).test(text) && /\bfor update\b/.test(text));
      const excess: string[] = [];
      for (const name of await tables()) {
        const [column] = await intentDb.query<{ name: string }>(
          `select a.attname as name from pg_attribute a
           where a.attrelid = $1::regclass and a.attnum > 0 and a.attidentity = '' and a.attgenerated = '' limit 1`,
          [name],
        );
        const may = async (statement: string) => (await tried(statement)) !== DENIED;
        const needsLock = process === 'trading_worker' && isLockedAndDeleted(name);
        if (!isChanged(name) && !needsLock && (await may(`update ${name} set ${column?.name} = null where false`)))
          excess.push(`update ${name}`);
        if (!isDeleted(name) && (await may(`delete from ${name} where false`))) excess.push(`delete ${name}`);
      }

      expect(excess).to.deep.equal([]);
    });

    it('changes nothing that is append only, and deletes no record of money or access', async () => {
      const money = [
        'payments',
        'payouts',
        'payout_steps',
        'payment_losses',
        'connect_accounts',
        'tiers',
        'subaccounts',
        'registrations',
      ];
      const access = [
        'apps',
        'app_secrets',
        'partners',
        'partner_keys',
        'admins',
        'approvals',
        'trader_keys',
        'agreement_chains',
      ];

      for (const name of APPEND_ONLY) {
        expect(
          await tried(`update ${name} set address = ''`.replace('address', COLUMN[name] ?? 'address')),
          name,
        ).to.equal(DENIED);
        expect(await tried(`delete from ${name}`), name).to.equal(DENIED);
      }
      for (const name of [...money, ...access]) expect(await tried(`delete from ${name}`), name).to.equal(DENIED);
    });

    it(
      process === 'trading_worker'
        ? 'writes no credential, owner or price'
        : 'writes no execution, figure or lost nonce',
      async () => {
        const others =
          process === 'trading_worker'
            ? [
                'admins',
                'approvals',
                'partner_keys',
                'app_secrets',
                'wallet_proofs',
                'admin_audit',
                'agreement_signatures',
                'app_requests',
                'apps',
                'partners',
                'tiers',
                ...['users', 'user_sessions', 'sign_ups', 'one_time_codes', 'login_codes', 'password_resets'],
                ...['known_addresses', 'reveal_links', 'stream_tickets', 'trader_keys', 'app_tokens', 'admin_sessions'],
              ]
            : ['figures', 'exchange_fills', 'burnt_nonces', 'worker_processes'];

        for (const name of others) expect(await tried(`insert into ${name} default values`), name).to.equal(DENIED);
        if (process === 'trading_worker')
          for (const change of [
            'apps set disabled_at = null',
            'partners set name = name',
            'tiers set amount_cents = 0',
          ])
            expect(await tried(`update ${change}`), change).to.equal(DENIED);
      },
    );
  });
