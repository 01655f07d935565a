import type { Logger } from 'pino';
import { type Config, tlsChoice } from '../config.ts';
import { isSameDatabase } from '../db/same-database.ts';
import { withTls } from '../db/tls.ts';
import { untilAvailable } from '../db/wait.ts';

const ANOTHER =
  'Setting DATABASE_DIRECT_URL: leads to another database than DATABASE_URL. No worker would see what web accepts.';

/**
 * The settings, with the TLS mode added to the database addresses. Waits for a database that does not respond or does not accept connections yet.
 * Throws if the two addresses lead to different databases.
 */
export async function withDatabaseTls(config: Config, log: Pick<Logger, 'warn'>): Promise<Config> {
  const onWait = (err: Error) => log.warn({ err }, 'waiting for the database');
  const secured = async (url: string) => {
    const address = await withTls(url, tlsChoice(config), onWait);
    await untilAvailable(address, onWait);
    return address;
  };
  const [DATABASE_URL, directUrl] = await Promise.all([secured(config.DATABASE_URL), secured(config.directUrl)]);
  if (DATABASE_URL !== directUrl && !(await isSameDatabase(DATABASE_URL, directUrl))) throw new Error(ANOTHER);
  return Object.freeze({ ...config, DATABASE_URL, directUrl });
}
