import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { readConfig } from '../../src/config.ts';
import { startWorker } from '../../src/runtime/worker-process.ts';
import { until } from '../support/processes.ts';
import { ENTITY, logLines, startService, type TestService } from '../support/service.ts';

const COMPARED_WITHIN_MS = 1_000;

describe('NETVENUE_ENTITY_HOTKEY', function () {
  this.timeout(30_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  /** What a worker that starts with this entity tells of it. */
  async function startedWith(NETVENUE_ENTITY_HOTKEY: string, isTold = false) {
    const { lines, logger } = logLines();
    const told = () => lines.filter(({ alert }) => alert === 'entity_unknown');
    const worker = await startWorker(readConfig({ ...service.settings, NETVENUE_ENTITY_HOTKEY }), logger);
    await (isTold ? until('the alert', async () => told().length > 0) : sleep(COMPARED_WITHIN_MS));
    await worker.stop();
    return told();
  }

  it('with another entity than that of the traders raises an alert at each start of a worker, which then works on', async () => {
    await service.trader();

    const changed = await startedWith('moved_entity', true);
    const present = await startedWith(ENTITY);

    expect(changed).to.have.length(1);
    expect(changed[0]).to.include({ level: 50, entity: 'moved_entity', known_entity: ENTITY, subaccounts: 1 });
    expect(changed[0]?.msg).to.match(/^NETVENUE_ENTITY_HOTKEY: /);
    expect(present).to.deep.equal([]);
  });

  it('raises no alert any more once the platform has a subaccount at the new entity', async () => {
    await service.trader();
    await service.db.query(sql.unsafe`
      update subaccounts
      set entity_hotkey = 'moved_entity', synthetic_hotkey = 'moved_entity_7', subaccount_id = 7
      where synthetic_hotkey = (select max(synthetic_hotkey) from subaccounts)`);

    expect(await startedWith('moved_entity')).to.deep.equal([]);
  });

  it('is not compared with a tenant’s own entity', async () => {
    await service.db.query(sql.unsafe`
      insert into apps (id, slug, name, allowed_scopes, entity_hotkey)
      values ('app_own', 'own', 'Own', '{api}', 'own_entity')`);
    await service.db.query(sql.unsafe`
      delete from subaccounts
      where synthetic_hotkey <> (select max(synthetic_hotkey) from subaccounts)`);
    await service.db.query(sql.unsafe`
      update subaccounts
      set owner = 'app_own', entity_hotkey = 'own_entity', synthetic_hotkey = 'own_entity_7'`);

    expect(await startedWith('moved_entity')).to.deep.equal([]);
  });
});
