import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { isProduction, type SettingFault, unknownSettings } from './kernel/production.ts';
import type { TlsChoice } from './kernel/tls-modes.ts';

import { consistent, settings } from './settings.ts';

/** The checked settings of a process. `directUrl` bypasses a pooler; without one it equals `DATABASE_URL`. */
export type Config = Readonly<
  Omit<z.infer<typeof settings>, 'REGISTRATION_PAYEES' | 'WALLET_LINK_PROOF'> & {
    directUrl: string;
    /** Who may be paid for registrations. Null: anyone, allowed outside production only. */
    REGISTRATION_PAYEES: readonly string[] | null;
    WALLET_LINK_PROOF: 'optional' | 'required';
  }
>;

/**
 * Reads the environment into one frozen object. `given` supplies defaults for settings that the environment leaves
 * unset. Throws if settings are missing or out of range; the error names every such setting and contains no value.
 */
export function readConfig(given: Record<string, string> = {}): Config {
  const environment = present(process.env);
  const values = { ...given, ...environment };
  const read = checked(consistent, values);
  const misspelt = isProduction(read) ? unknownSettings(Object.keys(environment), Object.keys(settings.shape)) : [];
  if (misspelt.length > 0) throw new Error(misspelt.map(named).join('\n'));
  const { DATABASE_URL, DATABASE_DIRECT_URL, REGISTRATION_PAYEES } = read;
  return Object.freeze({
    ...read,
    directUrl: DATABASE_DIRECT_URL ?? DATABASE_URL,
    REGISTRATION_PAYEES: REGISTRATION_PAYEES.length > 0 ? REGISTRATION_PAYEES : null,
    WALLET_LINK_PROOF: read.WALLET_LINK_PROOF ?? (isProduction(read) ? 'required' : 'optional'),
  });
}

/** Whether the environment sets a database. If not, the embedded server and the sandbox are used. */
export const namesDatabase = (): boolean => Boolean(process.env.DATABASE_URL?.trim());

/**
 * The database of the environment, by its direct address if set. For scripts that need no other setting. Throws if one of the
 * addresses is wrong; the error names it without its value.
 */
export function databaseUrl(): string | undefined {
  const addresses = settings.pick({ DATABASE_DIRECT_URL: true, DATABASE_URL: true }).partial();
  const { DATABASE_DIRECT_URL, DATABASE_URL } = checked(addresses, present(process.env));
  return DATABASE_DIRECT_URL ?? DATABASE_URL;
}

/**
 * Where a service without its own database settings listens: by default only on this machine. Throws in production,
 * which has no simulated upstreams, and if one of the settings is wrong.
 */
export function trialAddress(): Pick<Config, 'HOST' | 'PORT'> {
  const values = { HOST: '127.0.0.1', PUBLIC_URL: 'http://127.0.0.1', ...present(process.env) };
  const read = checked(settings.pick({ HOST: true, PORT: true, PUBLIC_URL: true, NODE_ENV: true }), values);
  if (isProduction(read)) throw new Error('Setting DATABASE_URL: needed in production; without it all is simulated');
  return read;
}

/** How the connections to that database are protected, for the same scripts. Throws if a setting is wrong. */
export const databaseTls = (): TlsChoice =>
  tlsChoice(checked(settings.pick({ DATABASE_TLS: true, DATABASE_CA: true, PGSSLMODE: true }), present(process.env)));

/** How a process protects its connections to the database. */
export const tlsChoice = (config: Pick<Config, 'DATABASE_TLS' | 'DATABASE_CA' | 'PGSSLMODE'>): TlsChoice => ({
  mode: config.DATABASE_TLS,
  ca: config.DATABASE_CA,
  environment: config.PGSSLMODE,
});

/** The folder of the embedded database and its companion files: DATA_DIR, or `.data` beside the sources. */
export const dataFolder = (): string =>
  path.resolve(process.env.DATA_DIR || fileURLToPath(new URL('../.data', import.meta.url)));

/** The keyring of the environment, for scripts that work on sealed values; undefined if it is not set. Throws if it is wrong. */
export const sealingKeys = (): string | undefined =>
  checked(settings.pick({ SEALING_KEYS: true }).partial(), present(process.env)).SEALING_KEYS;

/** The keys that sign agreements, for scripts that check receipts; undefined if they are not set. Throws if they are wrong. */
export const headKeys = (): string | undefined =>
  checked(settings.pick({ AGREEMENT_KEYS: true }).partial(), present(process.env)).AGREEMENT_KEYS;

const TOUR_SETTINGS = ['TOUR_KEY', 'TOUR_CLIENT_ID', 'TOUR_CLIENT_SECRET', 'TOUR_LEDGERS', 'TOUR_MAILS'] as const;

/** The running service that `npm run tour` calls; null without TOUR_URL. With it, throws unless all TOUR_… are set. */
export function tourSettings(): Record<'TOUR_URL' | (typeof TOUR_SETTINGS)[number], string> | null {
  const { TOUR_URL, TOUR_KEY, TOUR_CLIENT_ID, TOUR_CLIENT_SECRET, TOUR_LEDGERS, TOUR_MAILS } = process.env;
  if (!TOUR_URL) return null;
  if (!TOUR_KEY || !TOUR_CLIENT_ID || !TOUR_CLIENT_SECRET || !TOUR_LEDGERS || !TOUR_MAILS)
    throw new Error(`With TOUR_URL, set ${TOUR_SETTINGS.join(', ')} as well.`);
  return { TOUR_URL, TOUR_KEY, TOUR_CLIENT_ID, TOUR_CLIENT_SECRET, TOUR_LEDGERS, TOUR_MAILS };
}

/** The environment for a child process that uses its own database: this environment without the database settings. */
export function cleanEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, DATABASE_DIRECT_URL: __, ...env } = process.env;
  return { ...env, ...settings };
}

/**
 * The settings that are set. A blank text counts as unset, because as a number it would be 0. Values are trimmed, because a secret that was read from
 * a file ends with a line feed.
 */
const present = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, text]) => (text?.trim() ? [[name, text.trim()]] : [])));

function checked<Read>(schema: z.ZodType<Read>, values: Record<string, string>): Read {
  const read = schema.safeParse(values);
  if (read.success) return read.data;
  throw new Error(read.error.issues.map(describedFor(values)).join('\n'));
}

const named = ({ name, message }: SettingFault) => `Setting ${name}: ${message}`;

const describedFor =
  (values: Record<string, string>) =>
  ({ code, path: [name], message }: z.core.$ZodIssue): string => {
    const isMissing = code === 'invalid_type' && values[String(name)] === undefined;
    return named({ name: String(name), message: isMissing ? 'missing' : message });
  };
