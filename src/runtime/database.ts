import type { Logger } from 'pino';
import { type Config, tlsChoice } from '../config.ts';
import { withTls } from '../db/tls.ts';

/**
 * The settings with addresses that say how their connections are protected. Waits for a database that does not respond,
 * where only the server can say whether it takes TLS.
 */
export async function withDatabaseTls(config: Config, log: Pick<Logger, 'warn'>): Promise<Config> {
  const secured = (url: string) =>
    withTls(url, tlsChoice(config), (err) => log.warn({ err }, 'waiting for the database'));
  const [DATABASE_URL, directUrl] = await Promise.all([secured(config.DATABASE_URL), secured(config.directUrl)]);
  return Object.freeze({ ...config, DATABASE_URL, directUrl });
}
