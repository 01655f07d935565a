import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Client } from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type Caller, caller, type Reply } from '../support/caller.ts';
import { effectsUnder, market } from '../support/orders.ts';
import { ENTITY, startService, type TestService } from '../support/service.ts';

const GUIDE = new URL('../../src/docs/operating.md', import.meta.url);
const HEADING = 'From psql';
const PSQL = 'psql'; // psql, if the machine has it
/** The values that replace the placeholders in angle brackets. */
const OPERATOR_ROW = {
  'your name': 'ada',
  'your reason': 'its job was given up',
  'job id': '0',
  intent: newIntentId(),
};

type Run = (url: string, statements: string) => Promise<string>;

/** The statements printed under the heading, block by block. */
async function printed(): Promise<string[]> {
  const section =
    new RegExp(`^#+ ${HEADING}\\n([\\s\\S]*?)(?=^#+ |(?![\\s\\S]))`, 'm').exec(await readFile(GUIDE, 'utf8'))?.[1] ??
    '';
  return [...section.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, statements]) => String(statements));
}

/** The blocks that find, explain and run again what is stuck. */
async function stepsPrinted(): Promise<[string, string, string]> {
  const blocks = await printed();
  const withCall = (call: string) => String(blocks.find((block) => block.includes(call)));
  return [withCall('ops.stuck_intents'), withCall('ops.history('), withCall('ops.rerun(')];
}

const fill = (statements: string, placeholders: Record<string, string>) =>
  statements.replace(/<([^<>]+)>/g, (whole, name) => placeholders[name] ?? whole);

const byPsql: Run = async (url, statements) => {
  const options = ['--no-psqlrc', '--set=ON_ERROR_STOP=1', '--expanded', url];
  const running = promisify(execFile)(PSQL, options);
  running.child.stdin?.end(statements);
  return (await running).stdout;
};

/** The same without psql: its variables are filled in, and members are shown one by one. */
const byClient: Run = async (connectionString, statements) => {
  const variables = new Map([...statements.matchAll(/^\\set (\w+) '(.*)'$/gm)].map(([, name, value]) => [name, value]));
  const text = statements.replace(/^\\set .*$/gm, '').replace(/:'(\w+)'/g, (_, name) => `'${variables.get(name)}'`);
  const client = new Client({ connectionString });
  await client.connect();
  const results = [await client.query(text)].flat().filter(({ rows }) => rows);
  await client.end();
  return results
    .flatMap(({ rows }) =>
      rows
        .flatMap(Object.entries)
        .map(([name, value]) => `${name} | ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    )
    .join('\n');
};

const hasPsql = () => {
  try {
    return execFileSync(PSQL, ['--version']).length > 0;
  } catch {
    return false;
  }
};

for (const [tool, run] of [...(hasPsql() ? [['psql', byPsql] as const] : []), ['a client', byClient] as const])
  describe(`an operator who has only the guide, with ${tool}`, () => {
    let service: TestService;
    let trader: Caller;
    before(async () => {
      service = await startService({ worker: false });
      const [id = 0] = service.miner.addSubaccounts(1, { active: true });
      const { key, partner_id } = await createPartner(service.db, 'Partner');
      await service.db.query(sql.unsafe`
        insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
        values (${`${ENTITY}_${id}`}, ${ENTITY}, ${id}, ${partner_id}, ${newIntentId()}, 'crypto', 10000, 'active')`);
      trader = caller(service.url, key, { 'Trader-ID': String(id) });
    });
    after(() => service.stop());

    const atPrompt = (statements: string) => run(String(service.settings.DATABASE_URL), statements);

    /** An order whose job has used up its attempts, so that the queue has abandoned it. */
    async function strandedOrder(): Promise<{ id: string; reply: Reply }> {
      const reply = await trader.post('/v1/orders/netvenue', market(), { prefer: 'wait=0' });
      const id = String(reply.body.order_uuid);
      await service.db.query(
        sql.unsafe`update intents set deadline_at = now() + interval '10 minutes' where id = ${id}`,
      );
      await service.db.query(sql.unsafe`
        update queue_jobs
        set attempts = max_attempts, last_error = 'a fault nobody foresaw'
        where payload ->> 'intent_id' = ${id}`);
      return { id, reply };
    }

    it('finds, understands and re-runs a failed job', async () => {
      const [find, understand, act] = await stepsPrinted();
      const { id, reply } = await strandedOrder();

      const found = await atPrompt(find);
      const lost = /intent_id +\| (\S+)[\s\S]*?because +\| the attempts of its job are used up/.exec(found)?.[1];
      const placeholders = { ...OPERATOR_ROW, 'its id': String(lost) };
      const understood = await atPrompt(fill(understand, placeholders));
      const acted = await atPrompt(fill(`${understand.split('\n')[0]}\n${act}`, placeholders));
      await service.startWorker();
      const order = await trader.poll(reply);

      expect(lost, found).to.equal(id);
      expect(understood).to.contain('accepted').and.contain('given up; it said: a fault nobody foresaw');
      expect(understood)
        .to.match(/verdict +\| queued_again/)
        .and.match(/was_sent +\| f/);
      expect(acted)
        .to.match(/done +\| t/)
        .and.contain(OPERATOR_ROW['your name'])
        .and.contain(OPERATOR_ROW['your reason']);
      expect(order).to.include({ order_uuid: id, status: 'completed' });
      expect(effectsUnder(service, id)).to.have.length(1);
    });

    if (run === byPsql)
      it('reads what each view and function is for by the commands that the guide names', async () => {
        const commands = [...(await readFile(GUIDE, 'utf8')).matchAll(/`(\\d\S*\+ ops\.\*)`/g)].map(([, each]) => each);
        const described = await service.db.any(sql.type(z.object({ name: z.string(), comment: z.string() }))`
          select v.relname as name, split_part(obj_description(v.oid, 'pg_class'), '.', 1) as comment
          from pg_class v
          where v.relnamespace = 'ops'::regnamespace and v.relkind = 'v'
          union all
          select p.proname, split_part(obj_description(p.oid, 'pg_proc'), '.', 1)
          from pg_proc p
          where p.pronamespace = 'ops'::regnamespace`);

        const shown = await atPrompt(commands.join('\n'));

        for (const { name, comment } of described) expect(shown, name).to.contain(comment);
      });

    it('can run every other statement as printed', async () => {
      const steps = await stepsPrinted();
      const others = (await printed()).filter((block) => !steps.includes(block));

      const data = await atPrompt(fill(others.join('\n'), OPERATOR_ROW));

      expect(others).not.to.deep.equal([]);
      for (const name of ['retry_delivery', 'provision_account', 'abandon_account'])
        expect(data).to.match(new RegExp(`${name} +\\| unknown`));
    });
  });
