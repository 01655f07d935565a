import { startExvenueParty } from './exvenue/index.ts';
import { startMailParty } from './mail.ts';
import { startNetvenueParty } from './netvenue/index.ts';

const ENTITY_HOTKEY = 'sandbox_entity';
const MINER_KEY = 'sandbox-miner-key';
const VALIDATOR_KEY = 'sandbox-validator-key';
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
      VALIDATE_RESPONSES: 'true',
      WEBHOOK_LOOPBACK: 'true',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'Trading Partner Service <no-reply@sandbox.invalid>',
    },
    entityHotkey: ENTITY_HOTKEY,
    controlUrl: netvenue.controlUrl,
    exchangeControlUrl: exvenue.controlUrl,
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
      await mail.close();
    },
  };
}
