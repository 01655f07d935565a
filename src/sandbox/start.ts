import { startExvenueParty } from './exvenue/index.ts';
import { startMailParty } from './mail.ts';
import { type Files, filesIn } from './memory.ts';
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

/** The outside parties, played locally: the settings that point the service at them, and the end of it. */
export type Sandbox = {
  settings: Record<string, string>;
  controlUrl: string;
  exchangeControlUrl: string;
  registrarControlUrl: string;
  /** The processor: `/sandbox/pay/{client_secret}` pays, `/control/ledger` tells what it did. */
  processorUrl: string;
  /** Tells the processor where the service is, so that it sends its notifications there. */
  announce(serviceUrl: string): void;
  /** Where the mails of the service can be read. */
  mailUrl: string;
  stop(): Promise<void>;
};

/**
 * Starts every party on free ports of this machine. What they know they keep in `folder`, beside the database whose rows tell of it;
 * only mails are gone with the process.
 */
export async function startSandbox(folder: string): Promise<Sandbox> {
  const files = (party: string): Files => filesIn(folder, party);
  const netvenue = await startNetvenueParty({
    ...files('netvenue'),
    minerKey: MINER_KEY,
    validatorKey: VALIDATOR_KEY,
    entityHotkey: ENTITY_HOTKEY,
    activationMs: ACTIVATION_MS,
    processingMs: PROCESSING_MS,
  });
  const exvenue = await startExvenueParty({ ...files('exvenue'), network: 'testnet', autoFund: WALLET_USD });
  const registrar = await startRegistrarParty(files('registrar'));
  const processor = await startProcessorParty({
    ...files('processor'),
    secretKey: PROCESSOR_KEY,
    notificationSecret: PROCESSOR_SECRET,
  });
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
    controlUrl: netvenue.controlUrl,
    exchangeControlUrl: exvenue.controlUrl,
    registrarControlUrl: registrar.controlUrl,
    processorUrl: processor.url,
    announce: (serviceUrl) => processor.notifications.to(`${serviceUrl}/v2/webhooks/processor`),
    mailUrl: mail.readUrl,
    async stop() {
      await netvenue.close();
      await exvenue.close();
      await registrar.close();
      await processor.close();
      await mail.close();
    },
  };
}
