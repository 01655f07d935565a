import { parseArgs } from 'node:util';
import { listOwnedSubaccounts } from '../accounts/queries.ts';
import { readConfig } from '../config.ts';
import { keepLostOrders, listTraders, recoverSince } from '../intents/recover.ts';
import { isUuid } from '../kernel/ids.ts';
import { openMetrics } from '../metrics/registry.ts';
import { keepLostMoney } from '../payments/commands.ts';
import { openLog } from '../runtime/log.ts';
import { openUpstreams } from '../upstreams.ts';
import { onDatabase } from './database.ts';

/*
 * Prepares a database that was restored from a backup, while no worker runs: RECOVERY_MODE=true keeps them from it.
 *   npm run recover -- --since 2026-01-31T04:00:00Z     the time of the backup
 */
const { since = '' } = parseArgs({ options: { since: { type: 'string' } } }).values;
const sinceMs = Date.parse(since);
if (!(sinceMs < Date.now())) {
  process.stderr.write('Missing the time of the backup: npm run recover -- --since 2026-01-31T04:00:00Z\n');
  process.exit(2);
}

const config = readConfig();
const print = (line: string) => void process.stdout.write(`${line}\n`);

await onDatabase(async (db) => {
  for (const { kind, intents } of await recoverSince(db, new Date(sinceMs)))
    print(`${kind}  ${intents} open: looked for, never sent`);
  const { netvenue, exvenue, processor } = openUpstreams({
    config,
    db,
    metrics: openMetrics(),
    log: openLog({ LOG_LEVEL: 'warn' }),
  });
  const network = netvenue();
  const { hotkeys, wallets } = await listTraders(db, config.NETVENUE_ENTITY_HOTKEY);

  const made = await network.listSubaccounts();
  if (made.kind !== 'found') print('subaccounts  could not be read: run this again');
  else {
    const since = made.data.filter(({ createdMs }) => createdMs === null || createdMs >= sinceMs);
    const owned = await listOwnedSubaccounts(
      db,
      since.map(({ syntheticHotkey }) => syntheticHotkey),
    );
    for (const { syntheticHotkey, assetClass, accountSize } of since)
      if (!owned.has(syntheticHotkey))
        print(`subaccount  ${syntheticHotkey}  ${assetClass} ${accountSize}: nobody's here`);
  }
  for (const hotkey of hotkeys) {
    const read = await network.orders(hotkey);
    if (read.kind === 'unreadable') print(`orders of ${hotkey}  could not be read: run this again`);
    if (read.kind !== 'found') continue;
    const { unfilled, filled, cancelled } = read.data;
    const since = [...unfilled, ...filled, ...cancelled].filter(
      ({ processedMs }) => (processedMs ?? sinceMs) >= sinceMs,
    );
    await printUnknown(
      hotkey,
      since.map(({ uuid }) => uuid),
    );
  }
  for (const wallet of wallets) {
    const read = await exvenue.historicalOrders(wallet);
    if (read.kind === 'unreadable') print(`orders of ${wallet}  could not be read: run this again`);
    if (read.kind !== 'found') continue;
    const since = read.data.filter(({ order }) => order.placedMs >= sinceMs);
    await printUnknown(
      wallet,
      since.flatMap(({ order: { cloid } }) => (cloid === null ? [] : [uuidOf(cloid)])),
    );
  }
  const money = await processor?.listMoneyMade(sinceMs);
  if (money && money.kind !== 'found') print('payments and transfers  could not be read: run this again');
  for (const lost of money?.kind === 'found' ? await keepLostMoney(db, money.data) : []) {
    const { kind, processor_id, subject_id, amount_cents, currency, status, user_id } = lost;
    const terms = [`${amount_cents} ${currency}`, status, user_id].filter(Boolean).join(' ');
    print(`${kind}  ${processor_id} (${subject_id})  ${terms}: not known here, see ops.lost_money`);
  }

  async function printUnknown(trader: string, ids: string[]): Promise<void> {
    for (const id of await keepLostOrders(db, ids.filter(isUuid))) print(`order  ${id} of ${trader}: not known here`);
  }
});
print('Recovered. Unset RECOVERY_MODE: workers look for what may have been sent.');

function uuidOf(cloid: string): string {
  return cloid.replace(/^0x(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
