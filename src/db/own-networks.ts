import type { Logger } from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Db } from './pool.ts';

type Process = { db: Db; config: Pick<Config, 'EXVENUE_NETWORK' | 'REGISTRAR_NETWORK'>; log: Pick<Logger, 'warn'> };

/**
 * Throws if the orders or purchases of this database are at another network than that of this process: there none of them exists, so each would be
 * taken for cancelled, or for never made. The first that a process sees is noted and counts as ours. Goes on where they cannot be compared: in a
 * database that is not migrated yet, read-only or away. Ignores the rows of other settings, which a later release may have.
 */
export async function requireOwnNetworks({ db, config, log }: Process): Promise<void> {
  const { EXVENUE_NETWORK, REGISTRAR_NETWORK } = config;
  const compared = await compareOwn(db, { EXVENUE_NETWORK, REGISTRAR_NETWORK }).catch((err) => {
    log.warn({ err }, 'the networks were not compared with the database');
    return [];
  });
  for (const { setting, ours, seen } of compared)
    if (ours !== seen)
      throw new Error(
        `Setting ${setting}: what this database has is at ${ours}, and unknown at ${seen}. Set it back; after a deliberate move delete its row from ` +
          'own_networks.',
      );
}

const ownRow = z.object({ setting: z.string(), ours: z.string(), seen: z.string() });

async function compareOwn(db: Db, seen: Record<string, string>): Promise<readonly z.infer<typeof ownRow>[]> {
  const each = sql.fragment`jsonb_each_text(${JSON.stringify(seen)}::jsonb) as s (setting, network)`;
  const read = () =>
    db.any(sql.type(ownRow)`
      select n.setting, n.network as ours, s.network as seen
      from own_networks n
      join ${each} on s.setting = n.setting`);
  if (!(await db.exists(sql.type(z.object({}))`select where to_regclass('own_networks') is not null`))) return [];
  const known = await read();
  if (known.length === Object.keys(seen).length) return known;
  await db.query(sql.type(z.object({}))`
    insert into own_networks (setting, network)
    select s.setting, s.network from ${each}
    on conflict do nothing`);
  return read(); // another process may have noted them at the same time
}
