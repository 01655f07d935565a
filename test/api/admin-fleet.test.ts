import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { type Identity, startIdentity, type TestAdmin } from '../support/identity.ts';
import { until } from '../support/processes.ts';
import { logLines } from '../support/service.ts';

type Fleet = {
  processes: { kind: string; instance: string; is_running: boolean; calls: { upstream: string }[] }[];
  differences: { name: string; value: string; processes: string[]; is_odd: boolean }[];
};

describe('getFleet', function () {
  this.timeout(30_000);
  let service: Identity;
  let operator: TestAdmin;
  before(async () => {
    service = await startIdentity();
    operator = await service.admin();
  });
  after(() => service.stop());

  const read = async (): Promise<Fleet> => {
    const { status, body } = await operator.ask('GET', '/v2/admin/fleet');
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const workers = async () => (await read()).processes.filter(({ kind }) => kind === 'worker');

  it('shows every process, and the setting in which one differs, without its value', async () => {
    const there = (await workers()).length;
    const config = readConfig({ ...service.settings, NETVENUE_MINER_KEY: 'another-miner-key' });
    const odd = await startWorker(config, logLines().logger, openMetrics());
    await until('it to be shown', async () => (await workers()).length === there + 1);

    const { differences } = await read();
    const stored = await service.db.any(
      sql.type(z.object({ row: z.string() }))`select row_to_json(p)::text as row from processes p`,
    );
    await odd.stop();

    expect(new Set(differences.map(({ name }) => name))).to.deep.equal(new Set(['NETVENUE_MINER_KEY']));
    expect(differences).to.have.length(2);
    expect(JSON.stringify([differences, stored])).not.to.contain('another-miner-key');
  });

  it('shows a process that was killed as gone, for an hour', async () => {
    await service.db.query(sql.unsafe`
      insert into processes (id, kind, instance, version, calls, settings, sealing_keys, agreement_keys, seen_at)
      select gen_random_uuid(), 'worker', 'lost/1', '0', p.calls, '{"PORT": "0000"}', '{}', '{}', now() - interval '5 minutes'
      from processes p
      limit 1`);

    const { processes, differences } = await read();
    await service.db.query(
      sql.unsafe`update processes set seen_at = now() - interval '2 hours' where instance = 'lost/1'`,
    );
    const isForgotten = await until(
      'it to be forgotten',
      async () => (await read()).processes.every(({ instance }) => instance !== 'lost/1'),
      10_000,
    );

    expect(processes.find(({ instance }) => instance === 'lost/1')).to.include({ is_running: false });
    expect(differences).to.deep.equal([]);
    expect(isForgotten).to.equal(true);
  });
});
