import { setTimeout as pause } from 'node:timers/promises';
import { ask } from './ask.ts';
import type { Service } from './service.ts';

/** A mail from the sandbox's mailbox, with the members that the tour reads. */
type Mail = { to: string[]; subject: string; text: string; html: string };

/** The sandbox's upstreams, controlled by the tour. Every action is shown. */
export type Sandbox = {
  /** Moves a subaccount of the network to a bucket. */
  moveSubaccount(body: { subaccount_id: number; bucket: string }): Promise<void>;
  /** Sets how often the processor sends each of its notifications. */
  repeatNotifications(times: number): Promise<void>;
  /** Presses `Pay` on the processor's checkout page. Returns the page. */
  pay(clientSecret: string): Promise<string>;
  /** The first mail to an address with a matching subject. Waits for it; throws if none arrives. */
  mailTo(address: string, subject: RegExp): Promise<Mail>;
};

const MAX_POLLS = 100;
const POLL_INTERVAL_MS = 100;

/** Opens the control of the upstreams whose ledgers a service lists. */
export function openSandbox({ ledgers, mails }: Service, say: (line: string) => void): Sandbox {
  const [network = '', , , processor = ''] = ledgers.map((address) => address.replace(/\/ledger$/, ''));

  async function control(upstream: string, address: string, body: object): Promise<void> {
    say(`  sandbox ${upstream}: ${address.split('/').at(-1)} ${JSON.stringify(body)}`);
    const headers = { 'Content-Type': 'application/json' };
    await ask(address, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  return {
    moveSubaccount: (body) => control('network', `${network}/subaccount`, body),
    repeatNotifications: (times) => control('processor', `${processor}/notifications`, { repeat: times - 1 }),
    async pay(clientSecret) {
      say('  sandbox processor: Pay');
      const page = new URL(`/sandbox/pay/${clientSecret}`, processor);
      return (await ask(page, { method: 'POST', body: new URLSearchParams({ do: 'pay' }) })).text();
    },
    async mailTo(address, subject) {
      for (let polls = 0; polls < MAX_POLLS; polls++) {
        const received = (await (await ask(`${mails}?to=${encodeURIComponent(address)}`)).json()) as Mail[];
        const mail = received.find((one) => subject.test(one.subject));
        if (mail) return shown(mail, say);
        await pause(POLL_INTERVAL_MS);
      }
      throw new Error(`No mail ${subject} to ${address}`);
    },
  };
}

function shown(mail: Mail, say: (line: string) => void): Mail {
  say(`  mail to ${mail.to.join(', ')}: “${mail.subject}”`);
  return mail;
}
