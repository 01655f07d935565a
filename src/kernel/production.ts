import { hasBlankKey, isKeyring } from './keyring.ts';
import { isSandboxSecret } from './sandbox-secrets.ts';

/** A setting that production does not accept, and why. */
export type SettingFault = { name: string; message: string };

type Settings = {
  NODE_ENV?: string | undefined;
  PUBLIC_URL: string;
  REGISTRATION_PAYEES: readonly string[];
  SEALING_KEYS: string;
  AGREEMENT_KEYS: string;
  WEBHOOK_LOOPBACK: boolean;
} & Record<keyof typeof LEAST, number>;

/**
 * The least values of the times after which absence counts as proof: how long a miner may still work on a request, how far the clock and reads of the
 * exchange may be off, and how far behind nodes of the chain may be. See the venues' pages. With shorter times something that will happen would be
 * reported as not done.
 */
const LEAST = {
  NETVENUE_IN_FLIGHT_MS: 105_000,
  EXVENUE_CLOCK_MARGIN_MS: 5_000,
  EXVENUE_READ_LAG_MS: 60_000,
  REGISTRATION_MARGIN_S: 30,
};
/** Prefixes that only settings of this service have. */
const OURS = /^(AGREEMENT|EXVENUE|NETVENUE|OUTBOUND|PROCESSOR|REGISTRAR|REGISTRATION|RETAIN|SEALING|THROTTLE|WEBHOOK)_/;

/** Whether others reach the service: its address is https, or the environment says so. */
export const isProduction = ({ NODE_ENV, PUBLIC_URL }: Pick<Settings, 'NODE_ENV' | 'PUBLIC_URL'>): boolean =>
  NODE_ENV === 'production' || PUBLIC_URL.startsWith('https:');

/** Otherwise valid settings that production does not accept. Contains no value. */
export function faultsInProduction(given: Settings): SettingFault[] {
  const isWrong: [name: keyof Settings, wrong: boolean, message: string][] = [
    ['PUBLIC_URL', !given.PUBLIC_URL.startsWith('https:'), 'must be https in production'],
    ['REGISTRATION_PAYEES', given.REGISTRATION_PAYEES.length === 0, NO_PAYEES],
    ['SEALING_KEYS', isBlank(given.SEALING_KEYS), BLANK],
    ['AGREEMENT_KEYS', isBlank(given.AGREEMENT_KEYS), BLANK],
    ['WEBHOOK_LOOPBACK', given.WEBHOOK_LOOPBACK, 'not in production: webhooks could reach this machine'],
  ];
  const short = Object.entries(LEAST).filter(([name, least]) => given[name as keyof typeof LEAST] < least); // as: it has no other keys
  const secrets = Object.entries(given).filter(([, value]) => isKnownSecret(value));
  return [
    ...isWrong.flatMap(([name, wrong, message]) => (wrong ? { name, message } : [])),
    ...short.map(([name, least]) => ({ name, message: `at least ${least} in production: ${TOO_EARLY}` })),
    ...secrets.map(([name]) => ({ name, message: 'a secret of the sandbox, which everybody knows' })),
  ];
}

/** Names of an environment that look like settings of this service and are none: misspelt, or of an older version. */
export const unknownSettings = (environment: readonly string[], known: readonly string[]): SettingFault[] =>
  environment
    .filter((name) => OURS.test(name) && !known.includes(name))
    .map((name) => ({ name, message: 'no such setting; src/docs/configuration.md lists all' }));

const isBlank = (keyring: string) => isKeyring(keyring) && hasBlankKey(keyring);

const isKnownSecret = (value: unknown) => typeof value === 'string' && value.split(',').some(isSandboxSecret);

const BLANK = 'a key whose bytes are all the same; npm run ops -- keys:create makes one';

const TOO_EARLY = 'before that, what is absent may still be done';

const NO_PAYEES =
  'needed in production: the addresses that registrations may be paid to, separated by commas. Without it every purchase would end unpaid.';
