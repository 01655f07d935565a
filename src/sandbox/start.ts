import { startExvenueParty } from './exvenue/index.ts';
import { startMailParty } from './mail.ts';
import { startNetvenueParty } from './netvenue/index.ts';
import { startProcessorParty } from './processor/index.ts';
import { startRegistrarParty } from './registrar/index.ts';

const ENTITY_HOTKEY = 'sandbox_entity';
const MINER_KEY = 'sandbox-miner-key';
const VALIDATOR_KEY = 'sandbox-validator-key';
const PROCESSOR_KEY = 'sk_test_sandbox';
const PROCESSOR_SECRET = 'whsec_sandbox_processor';
const ACTIVATION_MS = 400;
const WALLET_USD = '100000'; // what every wallet has on the exchange from the start
const PROCESSING_MS = 50; // the real miner takes 1 to 60 s; a partner trying things should not

type Known = { subaccount_id: number; asset_class: string; account_size: number };

/** The outside parties, played locally: the settings that point the service at them, and the end of it. */
export type Sandbox = {
  settings: Record<string, string>;
  entityHotkey: string;
  controlUrl: string;
  exchangeControlUrl: string;
  registrarControlUrl: string;
  /** The processor: `/sandbox/pay/{client_secret}` pays, `/control/ledger` tells what it did. */
  processorUrl: string;
  /** Tells the processor where the service is, so that it sends its notifications there. */
  announce(serviceUrl: string): void;
  /** Where the mails of the service can be read. */
  mailUrl: string;
  /** Gives the parties the subaccounts of earlier runs back: they keep nothing themselves. Positions are not among it. */
  restore(subaccounts: readonly Known[]): void;
  stop(): Promise<void>;
};

/** Starts every party on free ports of this machine. */
export async function startSandbox(): Promise<Sandbox> {
  const netvenue = await startNetvenueParty({
    minerKey: MINER_KEY,
    validatorKey: VALIDATOR_KEY,
    entityHotkey: ENTITY_HOTKEY,
    activationMs: ACTIVATION_MS,
    processingMs: PROCESSING_MS,
  });
  const exvenue = await startExvenueParty({ network: 'testnet', autoFund: WALLET_USD });
  const registrar = await startRegistrarParty();
  const processor = await startProcessorParty({ secretKey: PROCESSOR_KEY, notificationSecret: PROCESSOR_SECRET });
  const mail = await startMailParty();
  return {
    settings: {
      NETVENUE_MINER_URL: netvenue.minerUrl,
      NETVENUE_MINER_KEY: MINER_KEY,
      NETVENUE_VALIDATOR_URL: netvenue.validatorUrl,
      NETVENUE_VALIDATOR_KEY: VALIDATOR_KEY,
      NETVENUE_ENTITY_HOTKEY: ENTITY_HOTKEY,
      EXVENUE_URL: exvenue.url,
      EXVENUE_NETWORK: 'testnet',
      ...registrar.settings,
      PROCESSOR_URL: processor.url,
      PROCESSOR_SECRET_KEY: PROCESSOR_KEY,
      PROCESSOR_WEBHOOK_SECRET: PROCESSOR_SECRET,
      VALIDATE_RESPONSES: 'true',
      WEBHOOK_LOOPBACK: 'true',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'Trading Partner Service <no-reply@sandbox.invalid>',
    },
    entityHotkey: ENTITY_HOTKEY,
    controlUrl: netvenue.controlUrl,
    exchangeControlUrl: exvenue.controlUrl,
    registrarControlUrl: registrar.controlUrl,
    processorUrl: processor.url,
    announce: (serviceUrl) => processor.notifications.to(`${serviceUrl}/v2/webhooks/processor`),
    mailUrl: mail.readUrl,
    restore(subaccounts) {
      let next = 0;
      for (const { subaccount_id, asset_class, account_size } of subaccounts) {
        if (subaccount_id > next) netvenue.addSubaccounts(subaccount_id - next);
        netvenue.addSubaccounts(1, { assetClass: asset_class, size: account_size, active: true });
        next = subaccount_id + 1;
      }
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
