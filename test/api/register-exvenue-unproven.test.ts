import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { type RegistrarUpstream, startRegistrarUpstream } from '../../src/sandbox/registrar/index.ts';
import type { Caller } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { purchaseBody, REGISTER } from '../support/registration.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { startService, type TestService } from '../support/service.ts';

const HOUR_MS = 3_600_000;

describe('a registration of which something cannot be proven', () => {
  let registrar: RegistrarUpstream;
  let chain: Relay;
  let service: TestService;
  let partner: Caller;
  before(async () => {
    registrar = await startRegistrarUpstream();
    chain = await relayTo();
    const { settings } = registrar;
    const { origin, pathname } = new URL(String(settings.REGISTRAR_CHAIN_URL));
    chain.target = origin;
    const quick = { REGISTRATION_POLL_MS: '100', REGISTRATION_DEADLINE_MS: '2000' };
    service = await startService({
      settings: { ...settings, ...quick, REGISTRAR_CHAIN_URL: `${chain.url}${pathname}` },
    });
    partner = await service.partner();
  });
  after(async () => {
    await service.stop();
    await chain.close();
    await registrar.close();
  });
  afterEach(() => {
    chain.handle = ({ forward }) => forward();
  });

  const transfers = () => registrar.ledger.entries().filter(({ kind }) => kind === 'transfer').length;
  const newKey = () => {
    const privateKey = generatePrivateKey();
    return { privateKey, address: privateKeyToAddress(privateKey).toLowerCase() };
  };

  it('is not paid while the chain does not say its newest block: the payment could not be found from there on', async () => {
    const { privateKey, address: wallet } = newKey();
    const before = transfers();
    chain.handle = async ({ text, forward }) =>
      text.includes('eth_getBlockByNumber') ? { status: 503, headers: {}, body: '' } : forward();

    const reply = await partner.post(REGISTER, purchaseBody({ wallet, payer: wallet, privateKey }));

    expectProblem(reply, 'V1_REGISTRAR_UNREACHABLE', { effect: 'none', retryable: true });
    expect(transfers()).to.equal(before);
  });

  it('carries no proof by an agent: its key is not that of the wallet', async () => {
    const [owner, agent, payer] = [newKey(), newKey(), newKey()];
    service.exchange.approveAgent(owner.address, agent.address, 'desk', Date.now() + HOUR_MS);
    const enrolled = await partner.post('/v1/sessions', { ex_wallet: owner.address, private_key: agent.privateKey });
    const before = transfers();

    const buyer = { wallet: owner.address, payer: payer.address, privateKey: payer.privateKey };
    const reply = await partner.post(REGISTER, purchaseBody(buyer));

    expect(enrolled.body).to.include({ agent_address: agent.address, verified: true });
    expectProblem(reply, 'V1_WALLET_UNPROVEN', { effect: 'none', reason: 'wallet_unproven' });
    expect(transfers()).to.equal(before);
    const sent = await service.db.oneFirst(
      sql.type(z.object({ proofs: z.unknown() }))`
        select sent_payload -> 'proofs' as proofs from intents where id = ${reply.body.error.intent_id}`,
    );
    expect(sent).to.deep.equal([]);
  });
});
