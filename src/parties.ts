import type { Logger } from 'pino';
import { exvenue } from './adapters/exvenue/index.ts';
import type { Exvenue } from './adapters/exvenue/types.ts';
import { mailer } from './adapters/mail/index.ts';
import type { Mailer } from './adapters/mail/types.ts';
import { netvenue } from './adapters/netvenue/index.ts';
import type { Netvenue } from './adapters/netvenue/types.ts';
import { processor } from './adapters/processor/index.ts';
import type { Processor } from './adapters/processor/types.ts';
import { registrar } from './adapters/registrar/index.ts';
import type { Registrar } from './adapters/registrar/types.ts';
import { webhooks } from './adapters/webhook/index.ts';
import type { Webhooks } from './adapters/webhook/types.ts';
import type { Config } from './config.ts';
import { watched, watchedWebhooks } from './metrics/parties.ts';
import type { Metrics } from './metrics/registry.ts';

/** The ways to everyone outside, each call of them timed and counted. */
export type Parties = {
  /** The network through the platform's own miner, or through that of a tenant's entity. */
  netvenue(own?: { minerKey?: string; entityHotkey?: string }): Netvenue;
  exvenue: Exvenue;
  registrar: Registrar;
  /** Null where no processor is configured: nothing is sold then. */
  processor: Processor | null;
  webhooks: Webhooks;
  openMailer(): Mailer;
};

/** Makes the ways to the parties that the settings name. */
export function partiesOf(config: Config, metrics: Metrics, log: Logger): Parties {
  const processor = processorAt(config);
  return {
    netvenue: (own) => watched('netvenue', netvenueAt(config, own), metrics, log),
    exvenue: watched('exvenue', exvenueAt(config), metrics, log),
    registrar: watched('registrar', registrarAt(config), metrics, log),
    processor: processor && watched('processor', processor, metrics, log),
    webhooks: watchedWebhooks(webhooks({ allowLoopback: config.WEBHOOK_LOOPBACK }), metrics),
    openMailer: () => watched('mail', mailer({ url: config.SMTP_URL, from: config.MAIL_FROM }), metrics, log),
  };
}

const netvenueAt = (config: Config, own: Parameters<Parties['netvenue']>[0]): Netvenue =>
  netvenue({
    minerUrl: config.NETVENUE_MINER_URL,
    minerKey: config.NETVENUE_MINER_KEY,
    validatorUrl: config.NETVENUE_VALIDATOR_URL,
    validatorKey: config.NETVENUE_VALIDATOR_KEY,
    entityHotkey: config.NETVENUE_ENTITY_HOTKEY,
    ...own,
  });

const exvenueAt = (config: Config): Exvenue =>
  exvenue({
    url: config.EXVENUE_URL,
    network: config.EXVENUE_NETWORK,
    budgetShare: config.EXVENUE_BUDGET_SHARE,
    budgetPerMinute: config.EXVENUE_BUDGET_PER_MINUTE,
  });

const registrarAt = (config: Config): Registrar =>
  registrar({
    url: config.REGISTRAR_URL,
    chainUrl: config.REGISTRAR_CHAIN_URL,
    network: config.REGISTRAR_NETWORK,
    asset: config.REGISTRAR_ASSET,
  });

const processorAt = (config: Config): Processor | null =>
  config.PROCESSOR_SECRET_KEY && config.PROCESSOR_WEBHOOK_SECRET
    ? processor({
        url: config.PROCESSOR_URL,
        secretKey: config.PROCESSOR_SECRET_KEY,
        notificationSecret: config.PROCESSOR_WEBHOOK_SECRET,
      })
    : null;
