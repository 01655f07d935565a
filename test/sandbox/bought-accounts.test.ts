import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { registrar } from '../../src/adapters/registrar/index.ts';
import type { Payer, PaymentTerms } from '../../src/adapters/registrar/types.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start.ts';
import { asking, bearer } from '../support/identity.ts';
import { until } from '../support/processes.ts';
import { realSockets } from '../support/sockets.ts';

describe('an account that the sandbox’s registrar has sold', () => {
  let folder: string;
  let sandbox: Sandbox;
  let unmocked: () => void;
  before(async () => {
    unmocked = realSockets();
    folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-bought-`));
    const advance = { advanceDatabase: async () => {}, advanceAccount: async () => null };
    sandbox = await startSandbox({ folder, host: '127.0.0.1', ...advance });
  });
  after(async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
    unmocked();
  });

  for (const [nth, [mailbox, when]] of [
    ['ada', 'at once'],
    ['pending', 'once its miner has created it'],
  ].entries())
    it(`is at the network ${when}`, async () => {
      const { settings } = sandbox;
      const client = registrar({
        url: String(settings.REGISTRAR_URL),
        chainUrl: String(settings.REGISTRAR_CHAIN_URL),
        network: String(settings.REGISTRAR_NETWORK),
        asset: String(settings.REGISTRAR_ASSET),
      });
      const payer = client.payerOf(`0x${String(nth + 1).repeat(64)}`) as Payer; // it is a key
      const sold = { minerSlug: 'vanta', accountSize: 5_000, tierIndex: 0, email: `${mailbox}@example.com` };
      const body = client.bodyOf({ ...sold, exAddress: payer.address });
      const quoted = await client.quote(body);
      if (quoted.kind !== 'accepted') throw new Error(quoted.kind);
      const proof = await payer.prove(body, Date.now());
      const until_ = { nonce: `0x${'ab'.repeat(32)}`, validBeforeS: Math.floor(Date.now() / 1000) + 60 } as const;
      const payment = await payer.authorize(quoted.data, quoted.data.accepts[0] as PaymentTerms, until_);
      expect((await client.pay(body, payment, { firstSend: true, proof })).kind).to.equal('accepted');

      const validator = asking(
        String(settings.NETVENUE_VALIDATOR_URL),
        bearer(String(settings.NETVENUE_VALIDATOR_KEY)),
      );
      const shown = await until('the account to be shown', async () => {
        await client.status(payer.address); // what a wait makes of it is seen at a read
        const reply = await validator('GET', `/hl-traders/${payer.address.toLowerCase()}`);
        return reply.status === 200 && reply.body;
      });

      expect(JSON.stringify(shown)).to.include('"synthetic_hotkey":"registrar_').and.include('"account_size":5000');
    });
});
