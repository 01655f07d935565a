import { setTimeout as pause } from 'node:timers/promises';
import got from 'got';
import type { Service } from './service.ts';

/** A mail as the sandbox's mailbox shows it, of its members those a tour reads. */
type Mail = { to: string[]; subject: string; text: string; html: string };

/** The sandbox's parties as someone at their desks moves them. Every move is shown. */
export type Sandbox = {
  /** Moves a subaccount of the network. */
  moveSubaccount(body: { subaccount_id: number; bucket: string }): Promise<void>;
  /** How many times over the processor sends each of its notifications. */
  repeatNotifications(times: number): Promise<void>;
  /** Presses `Pay` on the processor's page of a checkout; answers the page. */
  pay(clientSecret: string): Promise<string>;
  /** The first mail to an address with such a subject, waiting for it. */
  mailTo(address: string, subject: RegExp): Promise<Mail>;
};

const LOOKS = 100;
const LOOK_EVERY_MS = 100;

/** Opens the desks of the parties whose ledgers a service tells. */
export function openSandbox({ ledgers, mails }: Service, say: (line: string) => void): Sandbox {
  const [network = '', , , processor = ''] = ledgers.map((address) => address.replace(/\/ledger$/, ''));

  async function move(party: string, control: string, body: object): Promise<void> {
    say(`  sandbox ${party}: ${control.split('/').at(-1)} ${JSON.stringify(body)}`);
    await got.post(control, { json: body, retry: { limit: 0 } });
  }

  return {
    moveSubaccount: (body) => move('network', `${network}/subaccount`, body),
    repeatNotifications: (times) => move('processor', `${processor}/notifications`, { repeat: times - 1 }),
    pay(clientSecret) {
      say('  sandbox processor: Pay');
      const page = new URL(`/sandbox/pay/${clientSecret}`, processor);
      return got.post(page, { form: { do: 'pay' }, retry: { limit: 0 } }).text();
    },
    async mailTo(address, subject) {
      for (let looks = 0; looks < LOOKS; looks++) {
        const received = await got(mails, { searchParams: { to: address } }).json<Mail[]>();
        const mail = received.find((one) => subject.test(one.subject));
        if (mail) return shown(mail, say);
        await pause(LOOK_EVERY_MS);
      }
      throw new Error(`No mail ${subject} to ${address}`);
    },
  };
}

function shown(mail: Mail, say: (line: string) => void): Mail {
  say(`  mail to ${mail.to.join(', ')}: “${mail.subject}”`);
  return mail;
}
