import { readConfig } from '../config.ts';
import { requireOwnNetworks } from '../db/own-networks.ts';
import { recoverSince } from '../intents/recover.ts';
import { sealer } from '../kernel/seal.ts';
import { openMetrics } from '../metrics/registry.ts';
import { openLog } from '../runtime/log.ts';
import { openUpstreams } from '../runtime/upstreams.ts';
import { networkEntities } from '../runtime/venues.ts';
import { onDatabase } from './database.ts';
import { recoverExchange } from './recover/exchange.ts';
import { recoverMoney } from './recover/money.ts';
import { recoverNetwork } from './recover/network.ts';
import { recoverRegistrations } from './recover/registrations.ts';
import { argumentsOf, exitWithUsage } from './table.ts';

/*
 * Prepares a database that was restored from a backup, while no worker runs: RECOVERY_MODE=true keeps them from it.
 *   npm run ops -- recover --since 2026-01-31T04:00:00Z     the time of the backup
 */
const WITH_ITS_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(Z| ?UTC|[+-]\d\d(:?\d\d)?)$/; // also as psql and backup labels print it

const { since = '' } = argumentsOf('recover', { most: 0, options: { since: { type: 'string' } } }).values;
const sinceMs = WITH_ITS_ZONE.test(since) ? Date.parse(since) : Number.NaN;
if (!(sinceMs < Date.now()))
  exitWithUsage(
    'recover',
    'A past time with its zone: Z, UTC or +01:00. Read hours too late, it would miss what was lost.',
  );

const config = readConfig();
let isWhole = true;
const print = (line: string) => void process.stdout.write(`${line}\n`);
const printUnread = (what: string) => {
  isWhole = false;
  print(`${what}  could not be read: run this again`);
};

print(`since ${new Date(sinceMs).toISOString()}`);
await onDatabase(async (db) => {
  const log = openLog({ LOG_LEVEL: 'warn' });
  await requireOwnNetworks({ db, config, log });
  for (const { kind, intents } of await recoverSince(db, new Date(sinceMs)))
    print(`${kind}  ${intents} open: looked for, never sent`);
  const upstreams = await openUpstreams({ config, db, metrics: openMetrics(), log });
  const { netvenue, exvenue, registrar, processor } = upstreams;
  const venues = networkEntities(netvenue(), { config, upstreams, db, sealer: sealer(config.SEALING_KEYS) });
  const report = { print, printUnread };
  await recoverNetwork({ db, venues, ...report }, config.NETVENUE_ENTITY_HOTKEY, sinceMs);
  await recoverExchange({ db, exvenue, ...report }, sinceMs);
  await recoverMoney({ db, processor, ...report }, sinceMs);
  await recoverRegistrations({ db, registrar, ...report }, config.REGISTRATION_PAYEES, sinceMs);
});
if (isWhole) print('Recovered. Unset RECOVERY_MODE: workers look for what may have been sent.');
else {
  print('Not recovered: what could not be read may be done twice. Keep RECOVERY_MODE, and run this again.');
  process.exitCode = 1;
}
