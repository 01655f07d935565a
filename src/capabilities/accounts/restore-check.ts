import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import type { Netvenue } from '../../venues/network/adapter/types.ts';
import { listAppEntities } from '../apps/queries.ts';
import { hasOpenCreations, listOwnedSubaccounts, readRecoveredMs } from './queries.ts';
import { newerThanOwned } from './rules.ts';

type Lists = Pick<Netvenue, 'listSubaccounts'>;
type Sources = {
  db: Db;
  log: Pick<Logger, 'error'>;
  venues: { netvenue: Lists; of(entity: Hotkey): Promise<Lists | null> };
};

/**
 * Checks once, at a worker's start, whether the network has subaccounts, of the platform's or of a tenant's entity,
 * that are newer than all that are known here, although no creation is open. This shows that the database was restored
 * from a backup, unless its last recovery has printed them.
 */
export async function checkIsBehind({ db, log, venues }: Sources): Promise<void> {
  const tenants = await Promise.all((await listAppEntities(db)).map((entity) => venues.of(entity)));
  const lists = [venues.netvenue, ...tenants.filter((venue) => venue !== null)];
  const counts = await Promise.all(lists.map((venue) => countNewer(db, venue)));
  const subaccounts = counts.reduce((sum, count) => sum + count, 0);
  if (subaccounts > 0)
    log.error(
      { alert: 'database_behind', subaccounts },
      'the network has newer subaccounts than this database: recover it',
    );
}

async function countNewer(db: Db, venue: Lists): Promise<number> {
  const listed = await venue.listSubaccounts();
  if (listed.kind !== 'found' || (await hasOpenCreations(db))) return 0;
  const owned = await listOwnedSubaccounts(
    db,
    listed.data.map(({ syntheticHotkey }) => syntheticHotkey),
  );
  const recoveredMs = await readRecoveredMs(db);
  return newerThanOwned(listed.data, owned).filter(({ createdMs }) => (createdMs ?? 0) > recoveredMs).length;
}
