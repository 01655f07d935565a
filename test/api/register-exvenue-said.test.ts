import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { REGISTER, type RegistrationService, startRegistrationService } from '../support/registration.ts';
import { type Passing, type Relay, type Reply, relayTo } from '../support/relay.ts';

const json = (status: number, body: object): Reply => ({ status, headers: {}, body: JSON.stringify(body) });
const INVENTED = `0x${'ab'.repeat(32)}`;
const REGISTERED = json(200, { status: 'registered', message: 'Registration registered.', txHash: INVENTED });
const PENDING = json(200, { status: 'pending', message: 'Registration pending.', txHash: INVENTED });
const UNRECORDED = json(500, { error: 'Registration could not be saved', txHash: INVENTED });
const TAKEN = json(409, { error: 'This HL address is already registered with this miner.' });
const REUSED = json(409, { error: 'This transaction was used before.' });
const REFUSED = json(402, { error: 'invalid_exact_evm_payload_signature' });

describe('what the registrar says of a payment', () => {
  let relay: Relay;
  let service: RegistrationService;
  let partner: Caller;
  before(async () => {
    relay = await relayTo();
    service = await startRegistrationService({}, { settings: { REGISTRAR_URL: relay.url } });
    relay.target = service.registrar.url;
    partner = await service.partner();
  });
  after(async () => {
    await service.stop();
    await relay.close();
  });

  const isPaying = ({ headers }: Passing) => headers['payment-signature'] !== undefined;
  /** A purchase whose payments get this response, after the registrar has made them or without it. */
  async function bought(said: Reply, isMade: boolean) {
    relay.handle = async (passing) => {
      if (!isPaying(passing)) return passing.forward();
      if (isMade) await passing.forward();
      return said;
    };
    const buyer = await service.buyer();
    const reply = await service.buy(partner, buyer);
    const told = await partner.get(`${REGISTER}/status/${buyer.wallet}`);
    return { reply, told: told.body, paid: await service.paidBy(buyer), buyer };
  }

  for (const [what, said, status] of [
    ['it accepts under another hash', REGISTERED, 'registered'],
    ['it accepts as pending under another hash', PENDING, 'pending'],
    ['it did not record, under another hash', UNRECORDED, 'processing'],
    ['it rejects because the address is taken', TAKEN, 'processing'],
    ['it rejects because the transaction was used', REUSED, 'processing'],
    ['it rejects as invalid', REFUSED, 'processing'],
  ] as const)
    it(`does not hide one that the chain shows, nor name another transaction: ${what}`, async () => {
      const { reply, paid } = await bought(said, true);

      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      expect(reply.body).to.include({ status, tx_hash: paid[0]?.txHash });
      expect(paid).to.have.length(1);
    });

  for (const [what, said] of [
    ['accepts', REGISTERED],
    ['accepts as pending', PENDING],
    ['did not record', UNRECORDED],
  ] as const)
    it(`makes none that the chain never shows: one that it ${what}`, async () => {
      const { reply, told, paid } = await bought(said, false);

      expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
      expect(told).to.include({ status: 'failed', tx_hash: null, is_success: false });
      expect(paid).to.be.empty;
    });

  it('is in doubt, and told as that, until the chain shows it', async () => {
    relay.handle = async (passing) => (isPaying(passing) ? REGISTERED : passing.forward());
    const buyer = await service.buyer();
    const reply = await service.buy(partner, buyer, {}, { prefer: 'wait=0' });
    const inDoubt = await service.status(partner, buyer.wallet, ({ message }) =>
      /reports the payment/.test(`${message}`),
    );
    relay.handle = ({ forward }) => forward();
    const ended = await service.status(partner, buyer.wallet);

    expect(reply.status).to.equal(202);
    expect(inDoubt).to.include({ status: 'processing', tx_hash: null, is_terminal: false });
    expect(ended).to.include({ status: 'registered', tx_hash: (await service.paidBy(buyer))[0]?.txHash });
  });
});
