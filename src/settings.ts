import { z } from 'zod';
import { budgetFaults } from './capacity/budgets.ts';
import { idSchema } from './kernel/ids.ts';
import { isKeyring } from './kernel/keyring.ts';
import { isLoopbackHost } from './kernel/loopback.ts';
import { faultsInProduction, isProduction } from './kernel/production.ts';
import { LEAST_EVENT_DAYS } from './kernel/retention.ts';
import { isTlsMode } from './kernel/tls-modes.ts';

const port = z.coerce.number().int().min(0).max(65535);
const ms = z.coerce.number().int().min(0).max(2_147_483_647); // Node fires a longer timer at once
const days = z.coerce.number().max(1_000_000); // PostgreSQL's times begin some 2,400,000 days ago
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const tlsMode = z.string().refine(isTlsMode, 'one of disable, allow, prefer, require, verify-ca, verify-full');

const BARE_PERCENT = 'a % in it encodes nothing: write %25';

const webAddress = z.url({ protocol: /^https?$/, message: 'an address http://… or https://…' });

const databaseAddress = z
  .url({ protocol: /^postgres(ql)?$/, message: 'an address postgres://user:password@host:port/database', abort: true })
  .refine(isDecodable, BARE_PERCENT)
  .refine((url) => isTlsMode(new URL(url).searchParams.get('sslmode') ?? 'prefer'), 'its sslmode is unknown');

/** A value that is sent in a header. With a character that no header may contain, no request could be sent and every order would expire. */
const headerText = z.string().regex(/^[\t -~\x80-\xff]+$/, 'has a character that no header takes');

const keyring = z
  .string()
  .refine(isKeyring, 'id:base64 of 32 bytes, separated by commas, all different; npm run ops -- keys:create makes one');

/** Addresses of a chain, separated by commas. Result in lower case. */
const addresses = z
  .string()
  .regex(/^0x[0-9a-f]{40}(\s*,\s*0x[0-9a-f]{40})*$/i)
  .transform((text): string[] => text.toLowerCase().split(/\s*,\s*/));

/** Every setting, its kind and its default. src/docs/configuration.md lists them with their meaning. */
export const settings = z.object({
  NODE_ENV: z.string().optional(),
  DATABASE_URL: databaseAddress,
  DATABASE_DIRECT_URL: databaseAddress.optional(),
  DATABASE_POOLER: z.enum(['none', 'transaction']).default('none'),
  DATABASE_TLS: z.enum(['auto', 'require', 'verify-full', 'off']).default('auto'),
  DATABASE_CA: z.string().min(1).optional(),
  PGSSLMODE: tlsMode.optional(),
  HOST: z.string().default('0.0.0.0'),
  PORT: port.default(3000),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_TOKEN: z.string().min(16).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_METRIC_EXPORT_INTERVAL: ms.min(1_000).default(60_000),
  READY_QUEUE_AGE_S: z.coerce.number().int().min(1).default(60),
  LOG_LEVEL: z.enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug']).default('info'),
  WEB_POOL_SIZE: z.coerce.number().int().min(1).default(10),
  WORKER_POOL_SIZE: z.coerce.number().int().min(2).default(20),
  WORKER_RUNNERS: z.enum(['all', 'trading', 'outbound']).default('all'),
  RECOVERY_MODE: flag.default(false),
  TRADING_CONCURRENCY: z.coerce.number().int().min(1).default(100),
  OUTBOUND_CONCURRENCY: z.coerce.number().int().min(1).default(100),
  OUTBOUND_PER_S: z.coerce.number().int().min(25).default(200),
  NETVENUE_MINER_URL: webAddress,
  NETVENUE_MINER_KEY: headerText,
  NETVENUE_VALIDATOR_URL: webAddress,
  NETVENUE_VALIDATOR_KEY: headerText,
  NETVENUE_ENTITY_HOTKEY: z.string().min(1).pipe(idSchema.hotkey),
  NETVENUE_ENTITY_USE: z.enum(['alone', 'shared']).default('alone'),
  WALLET_LINK_PROOF: z.enum(['optional', 'required']).optional(), // default: required in production
  NETVENUE_CLOSE_STYLE: z.enum(['auto', 'flat_all', 'market_flat']).default('auto'),
  NETVENUE_PATIENCE_MS: ms.default(12_000),
  NETVENUE_IN_FLIGHT_MS: ms.default(105_000),
  NETVENUE_MINER_THREADS: z.coerce.number().int().min(2).default(10),
  NETVENUE_EXIT_SLOTS: z.coerce.number().int().min(0).optional(), // default: 2, or what the threads leave
  NETVENUE_SIGNALS_PER_MIN: z.coerce.number().int().min(2).default(10),
  EXVENUE_URL: webAddress,
  EXVENUE_NETWORK: z.enum(['mainnet', 'testnet']).default('mainnet'),
  EXVENUE_BUDGET_PER_MINUTE: z.coerce.number().int().min(60).optional(), // default: the limit in the venue's documentation
  EXVENUE_PATIENCE_MS: ms.default(5_000),
  EXVENUE_EXPIRES_MS: ms.min(1_000).default(10_000),
  EXVENUE_CLOCK_MARGIN_MS: ms.default(5_000),
  EXVENUE_READ_LAG_MS: ms.default(60_000),
  EXVENUE_STREAM: flag.default(true),
  VENUE_READ_MS: ms.min(50).default(4_000),
  REGISTRAR_URL: webAddress,
  REGISTRAR_CHAIN_URL: webAddress,
  REGISTRAR_NETWORK: z
    .string()
    .regex(/^eip155:\d+$/)
    .default('eip155:8453'),
  REGISTRAR_ASSET: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .default('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
  REGISTRAR_PATIENCE_MS: ms.default(30_000),
  REGISTRATION_DEADLINE_MS: ms.default(120_000),
  REGISTRATION_VALID_S: z.coerce.number().int().min(1).max(3_600).default(300),
  REGISTRATION_MARGIN_S: z.coerce.number().int().min(0).default(30),
  REGISTRATION_MAX_USDC: z.coerce.number().positive().default(1_000),
  REGISTRATION_PAYEES: addresses.default([]),
  REGISTRATION_POLL_MS: ms.default(5_000),
  REGISTRATION_GRACE_MS: ms.default(14_400_000),
  PROTECTION_REPAIR: z.enum(['tell', 'repair']).default('tell'),
  ORDER_DEADLINE_MS: ms.default(15_000),
  PROVISION_DEADLINE_MS: ms.default(120_000),
  PROCESSOR_URL: webAddress.default('https://api.stripe.com'),
  PROCESSOR_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .default('US'),
  PROCESSOR_SECRET_KEY: headerText.optional(),
  PROCESSOR_WEBHOOK_SECRET: z.string().min(1).optional(),
  DUAL_CONTROL_CENTS: z.coerce.number().int().min(0).optional(), // without it nothing needs a second operator
  PAYOUT_DESTINATION_HOLD_H: z.coerce.number().int().min(0).max(720).default(24),
  CHECKOUT_DEADLINE_MS: ms.default(120_000),
  ACCOUNT_DEADLINE_MS: ms.default(3_600_000),
  PAYMENT_RECONCILE_MS: ms.default(300_000),
  LIFECYCLE_SWEEP_MS: ms.default(300_000),
  STREAM_HEARTBEAT_MS: ms.min(100).default(15_000),
  TRADING_WATCH_MS: ms.min(50).default(2_000),
  VALIDATE_RESPONSES: flag.default(false),
  PUBLIC_URL: webAddress.transform((url) => url.replace(/\/+$/, '')),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  SEALING_KEYS: keyring,
  AGREEMENT_KEYS: keyring,
  STREAMS_PER_APP: z.coerce.number().int().min(1).default(2_000),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, message: 'an address smtp://… or smtps://…', abort: true })
    .refine((url) => new URL(url).hostname !== '', 'names no server')
    .refine(isDecodable, BARE_PERCENT),
  SMTP_TLS: z.enum(['required', 'opportunistic']).default('required'),
  MAIL_FROM: z.string().regex(/[^<>@\s]@[^<>@\s]/, 'an address: Name <name@example.com>'),
  WEBHOOK_LOOPBACK: flag.default(false),
  THROTTLE_SCALE: z.coerce.number().min(0.01).default(1),
  RETAIN_INTENTS_DAYS: days.min(8).default(90), // past the 7 days of an Idempotency-Key
  RETAIN_ORDERS_DAYS: days.min(8).default(400),
  RETAIN_EVENTS_DAYS: days.min(LEAST_EVENT_DAYS).default(30), // past the last attempt of a delivery
  RETAIN_SESSIONS_DAYS: days.min(1).default(30),
});

/** https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api */
const NETWORK_OF: Readonly<Record<string, string>> = {
  'api.hyperliquid.xyz': 'mainnet',
  'api.hyperliquid-testnet.xyz': 'testnet',
};

/** Settings that depend on each other. */
export const consistent = settings
  .refine((all) => all.DATABASE_POOLER === 'none' || all.DATABASE_DIRECT_URL, {
    path: ['DATABASE_DIRECT_URL'],
    message: 'needed with DATABASE_POOLER: LISTEN needs a session connection, which a transaction pooler does not keep',
  })
  .refine(
    ({ METRICS_PORT, METRICS_HOST, METRICS_TOKEN }) =>
      METRICS_PORT === undefined || METRICS_TOKEN || isLoopbackHost(METRICS_HOST),
    {
      path: ['METRICS_TOKEN'],
      message: 'needed where METRICS_HOST is not a loopback address',
    },
  )
  .refine(({ DATABASE_CA, DATABASE_TLS }) => DATABASE_CA === undefined || DATABASE_TLS === 'verify-full', {
    path: ['DATABASE_CA'],
    message: 'only used with DATABASE_TLS=verify-full',
  })
  .refine((all) => Boolean(all.PROCESSOR_SECRET_KEY) === Boolean(all.PROCESSOR_WEBHOOK_SECRET), {
    path: ['PROCESSOR_WEBHOOK_SECRET'],
    message: 'needed with PROCESSOR_SECRET_KEY, and not without it: set both or neither',
  })
  .refine(
    ({ EXVENUE_URL, EXVENUE_NETWORK }) =>
      (NETWORK_OF[URL.parse(EXVENUE_URL)?.hostname ?? ''] ?? EXVENUE_NETWORK) === EXVENUE_NETWORK,
    {
      path: ['EXVENUE_NETWORK'],
      message: 'not the network of EXVENUE_URL: the exchange would reject every signature',
    },
  )
  .superRefine((all, { addIssue }) => {
    for (const { setting, message } of budgetFaults(all)) addIssue({ code: 'custom', path: [setting], message });
  })
  .superRefine((all, { addIssue }) => {
    if (!isProduction(all)) return;
    for (const { name, message } of faultsInProduction(all)) addIssue({ code: 'custom', path: [name], message });
  });

/** Whether its parts can be read: a client decodes them, and throws the whole address, with the password, if that fails. */
function isDecodable(url: string): boolean {
  const { username, password, pathname } = new URL(url);
  try {
    decodeURIComponent(username + password + pathname);
    return true;
  } catch {
    return false;
  }
}
