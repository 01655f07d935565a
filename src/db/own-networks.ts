import type { Logger } from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Db } from './pool.ts';

type Process = { db: Db; config: Pick<Config, 'EXVENUE_NETWORK' | 'REGISTRAR_NETWORK'>; log: Pick<Logger, 'warn'> };

const networkRow = z.object({ setting: z.enum(['EXVENUE_NETWORK', 'REGISTRAR_NETWORK']), network: z.string() });

/**
 * Throws if the orders or purchases of this database are at another network than that of this process: there none of them exists, so each would be
 * taken for cancelled, or for never made. The first that a process sees is noted and counts as ours. Goes on where they cannot be compared: in a
 * database that is not migrated yet, read-only or away.
 */
export async function requireOwnNetworks({ db, config, log }: Process): Promise<void> {
  const known = await noteNetworks(db, config).catch((err) => {
    log.warn({ err }, 'the networks were not compared with the database');
    return [];
  });
  for (const { setting, network } of known)
    if (network !== config[setting])
      throw new Error(
        `Setting ${setting}: what this database has is at ${network}, and unknown at ${config[setting]}. Set it back; after a deliberate move ` +
          'delete its row from own_networks.',
      );
}

async function noteNetworks(db: Db, { EXVENUE_NETWORK, REGISTRAR_NETWORK }: Process['config']) {
  const read = () => db.any(sql.type(networkRow)`select n.setting, n.network from own_networks n`);
  if (!(await db.exists(sql.type(z.object({}))`select where to_regclass('own_networks') is not null`))) return [];
  const known = await read();
  if (known.length === networkRow.shape.setting.options.length) return known;
  await db.query(sql.type(z.object({}))`
    insert into own_networks (setting, network)
    values ('EXVENUE_NETWORK', ${EXVENUE_NETWORK}), ('REGISTRAR_NETWORK', ${REGISTRAR_NETWORK})
    on conflict do nothing`);
  return read(); // another process may have noted them at the same time
}
