import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openOnCall } from '../../support/on-call.ts';
import { market } from '../../support/orders.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { until } from '../../support/processes.ts';
import { recover } from '../../support/restored.ts';
import { firing, ONCE, promtool } from '../../support/rules.ts';
import { startService, type TestService } from '../../support/service.ts';

const COMPARED_WITHIN_MS = 1_000;
const BEHIND = { alert: 'database_behind' };

describe('the operator on call, of what processes say', function () {
  this.timeout(60_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  before(async function () {
    if (!promtool) this.skip();
    database = await freshDatabase();
  });
  after(() => database?.drop());

  const kept = () => ({ url: database.url, drop: async () => {} });
  const saying = (service: TestService, { alert }: { alert: string }) =>
    until(alert, () => service.log.lines.some((line) => line.alert === alert) || null);
  const scrapeOf = async (service: TestService) => {
    const onCall = await openOnCall(service);
    return onCall.scrape().finally(onCall.stop);
  };

  it('recovers a database that lacks subaccounts: a worker’s notice of it paged nobody, and did not end', async () => {
    const service = await startService({ database: kept() });
    const since = new Date().toISOString();
    const quiet = await scrapeOf(service);
    const trader = await service.trader();
    await service.stopWorkers();
    const onCall = await openOnCall(service);
    await onCall.asOwner('delete from subaccounts where subaccount_id = $1::integer', [trader.traderId]);
    await service.startWorker();
    await saying(service, BEHIND);
    const troubled = await onCall.scrape();

    await service.stopWorkers();
    const printed = await recover(service, since);
    const again = await startService({ database: kept(), settings: urlsOf(service) });
    await sleep(COMPARED_WITHIN_MS);
    const calm = await scrapeOf(again);
    await onCall.stop();
    for (const each of [again, service]) await each.stop();

    expect(printed).to.match(/without an owner here/);
    expect(again.log.lines.filter(({ alert }) => alert === BEHIND.alert)).to.deep.equal([]);
    expect(await firing('DatabaseBehind', { quiet, troubled, calm })).to.deep.equal(ONCE);
  });

  it('sets back the entity of another deployment', async () => {
    const service = await startService({ database: kept() });
    await service.trader();
    const quiet = await scrapeOf(service);
    const moved = await startService({ database: kept(), settings: { NETVENUE_ENTITY_HOTKEY: 'of_another' } });
    await saying(moved, { alert: 'entity_unknown' });
    const troubled = await scrapeOf(moved);
    await moved.stop();
    const calm = await scrapeOf(service);
    await service.stop();

    expect(await firing('SettingsWrong', { quiet, troubled, calm })).to.deep.equal(ONCE);
  });

  it('starts a worker for what the crontab starts, whose scrapes are whole whenever it ran last', async () => {
    const service = await startService();
    const onCall = await openOnCall(service);
    await service.runTask('housekeeping/prune');
    const quiet = await onCall.scrape();
    await onCall.asOwner(`update retention_runs set ran_at = ran_at - interval '21 minutes'`);
    const troubled = await onCall.scrape();

    await service.runTask('housekeeping/prune');
    const calm = await onCall.scrape();
    await onCall.stop();
    await service.stop();

    expect(quiet.value('tps_crontab_seconds')).to.be.within(0, 60);
    expect(await firing('CrontabStands', { quiet, troubled, calm })).to.deep.equal(ONCE);
  });

  it('runs the version before a release whose requests throw', async () => {
    const service = await startService();
    const onCall = await openOnCall(service);
    const trader = await service.trader();
    const read = () => trader.get('/v1/sessions');
    await trader.post('/v1/orders/netvenue', market());
    const quiet = await onCall.scrape();
    await onCall.asOwner('alter table enrollments rename column label to title');
    const thrown = await Promise.all(Array.from({ length: 8 }, read));
    const troubled = await onCall.scrape();

    await onCall.asOwner('alter table enrollments rename column title to label');
    const well = await Promise.all(Array.from({ length: 8 }, read));
    const calm = await onCall.scrape();
    await onCall.stop();
    await service.stop();

    expect([...new Set(thrown.map(({ status }) => status))]).to.deep.equal([500]);
    expect([...new Set(well.map(({ status }) => status))]).to.deep.equal([200]);
    expect(await firing('RequestsThrow', { quiet, troubled, calm }, { minutes: 5 })).to.deep.equal(ONCE);
    expect(await firing('RequestsFail', { quiet, troubled, calm }, { minutes: 5 })).to.include({ inTrouble: false });
  });
});

/** The upstreams of a service, for another one on its database. */
const urlsOf = ({ settings }: TestService): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => /^(NETVENUE|EXVENUE)_.*URL$/.test(name)));
