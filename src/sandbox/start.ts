import { sandboxSecrets } from '../kernel/sandbox-secrets.ts';
import { startExvenueUpstream } from './exchange/index.ts';
import { startMailUpstream } from './mail.ts';
import { type Files, filesIn } from './memory.ts';
import { startNetvenueUpstream } from './network/index.ts';
import { startProcessorUpstream } from './processor/index.ts';
import { type RegistrarUpstreamOptions, startRegistrarUpstream } from './registrar/index.ts';
import { type Sited, sandboxSite } from './site.ts';

const ENTITY_HOTKEY = 'sandbox_entity';
const ACTIVATION_MS = 400;
const WALLET_USD = '100000'; // initial balance of every wallet on the exchange
const PROCESSING_MS = 50; // the real miner takes 1 to 60 s; a partner's tests should not wait that long

/** The simulated upstreams. `settings` point the service at them. */
export type Sandbox = {
  settings: Record<string, string>;
  /** What serves the paths below `/sandbox` of the service: see `sandboxSite`. */
  site: ReturnType<typeof sandboxSite>;
  /** Sets the service's address, to which the processor sends its notifications, and the one for the links to its pages. */
  announce(serviceUrl: string, publicUrl: string): void;
  stop(): Promise<void>;
};

/** `folder`: where the state is stored. `host`: where the upstreams listen. `advanceDatabase` and `advanceAccount`: see `Sited`. */
type StartOptions = { folder: string; host: string } & Pick<Sited, 'advanceDatabase' | 'advanceAccount'>;

/**
 * Starts every upstream on free ports. They store their state in `folder`, next to the database that refers to
 * it. Only mails are lost with the process.
 */
export async function startSandbox({ folder, host, advanceDatabase, advanceAccount }: StartOptions): Promise<Sandbox> {
  const files = (upstream: string): Files => filesIn(folder, upstream);
  const netvenue = await startNetvenueUpstream({
    ...files('netvenue'),
    host,
    minerKey: sandboxSecrets.minerKey,
    validatorKey: sandboxSecrets.validatorKey,
    entityHotkey: ENTITY_HOTKEY,
    activationMs: ACTIVATION_MS,
    processingMs: PROCESSING_MS,
  });
  const exvenue = await startExvenueUpstream({ ...files('exvenue'), host, network: 'testnet', autoFund: WALLET_USD });
  const create = creatingAt(netvenue.minerUrl);
  const registrar = await startRegistrarUpstream({ ...files('registrar'), host, create });
  const processor = await startProcessorUpstream({
    ...files('processor'),
    host,
    secretKey: sandboxSecrets.processorKey,
    notificationSecret: sandboxSecrets.processorSecret,
  });
  const mail = await startMailUpstream(host);
  return {
    settings: {
      NETVENUE_MINER_URL: netvenue.minerUrl,
      NETVENUE_SIGNALS_PER_MIN: '600', // the simulated validator takes any number
      NETVENUE_MINER_KEY: sandboxSecrets.minerKey,
      NETVENUE_VALIDATOR_URL: netvenue.validatorUrl,
      NETVENUE_VALIDATOR_KEY: sandboxSecrets.validatorKey,
      NETVENUE_ENTITY_HOTKEY: ENTITY_HOTKEY,
      EXVENUE_URL: exvenue.url,
      EXVENUE_NETWORK: 'testnet',
      ...registrar.settings,
      PROCESSOR_URL: processor.url,
      PROCESSOR_SECRET_KEY: sandboxSecrets.processorKey,
      PAYOUT_DESTINATION_HOLD_H: '0', // payouts can be tried at once
      PROCESSOR_WEBHOOK_SECRET: sandboxSecrets.processorSecret,
      VALIDATE_RESPONSES: 'true',
      WEBHOOK_LOOPBACK: 'true',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'Trading Partner Service <no-reply@sandbox.invalid>',
    },
    site: sandboxSite({
      controls: {
        network: netvenue.controlUrl,
        exchange: exvenue.controlUrl,
        registrar: registrar.controlUrl,
        processor: processor.controlUrl,
      },
      processorUrl: processor.url,
      mails: mail.mails,
      advanceDatabase,
      advanceAccount,
    }),
    announce(serviceUrl, publicUrl) {
      processor.notifications.to(`${serviceUrl}/v2/webhooks/processor`);
      processor.showAt(publicUrl);
    },
    async stop() {
      await netvenue.close();
      await exvenue.close();
      await registrar.close();
      await processor.close();
      await mail.close();
    },
  };
}

/** Has the miner of the registrar, an entity of its own, create the accounts that were sold. One that the wallet has already stays. */
const creatingAt =
  (minerUrl: string): NonNullable<RegistrarUpstreamOptions['create']> =>
  ({ exAddress, accountSize }) =>
    void fetch(`${minerUrl}/api/create-hl-subaccount`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandboxSecrets.minerKey}:registrar`, 'content-type': 'application/json' },
      body: JSON.stringify({ hl_address: exAddress, account_size: accountSize }),
    }).catch(() => {}); // the sandbox is stopping
