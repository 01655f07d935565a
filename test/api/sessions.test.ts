import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Caller } from '../support/caller.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const newKey = () => {
  const privateKey = generatePrivateKey();
  return { privateKey, address: privateKeyToAddress(privateKey).toLowerCase() };
};

describe('sessions', () => {
  let service: TestService;
  let partner: Caller;
  before(async () => {
    service = await startService();
    partner = await service.partner();
  });
  after(() => service.stop());

  const enroll = (ex_wallet: string, private_key: string, more: object = {}, by = partner) =>
    by.post('/v1/sessions', { ex_wallet, private_key, ...more });
  const agentOf = (wallet: string) => {
    const agent = newKey();
    service.exchange.approveAgent(wallet, agent.address, `agent ${agent.address.slice(2, 8)}`);
    return agent;
  };

  describe('enrollSession', () => {
    it("enrolls the wallet's own key and never shows it", async () => {
      const { privateKey, address } = newKey();

      const reply = await enroll(address.toUpperCase().replace('0X', '0x'), privateKey.slice(2), { label: 'main' });

      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      expect(reply.body).to.include({
        ex_wallet: address,
        agent_address: address,
        is_agent: false,
        status: 'enrolled',
        verified: true,
        key_version: 1,
        label: 'main',
      });
      expect(JSON.stringify(reply.body)).to.not.contain(privateKey.slice(2, 20));
    });

    it('enrolls an agent the exchange knows, and rotates it', async () => {
      const wallet = newKey().address;
      const first = agentOf(wallet);
      const second = agentOf(wallet);

      const enrolled = await enroll(wallet, first.privateKey);
      const same = await enroll(wallet, first.privateKey);
      const rotated = await enroll(wallet, second.privateKey);
      const back = await enroll(wallet, first.privateKey);

      expect(enrolled.body).to.include({ is_agent: true, agent_address: first.address, key_version: 1 });
      expect(same.body).to.include({ key_version: 1 });
      expect(rotated.body).to.include({ agent_address: second.address, key_version: 2 });
      expectProblem(back, 'V1_AGENT_RETIRED');
    });

    it('refuses a key the exchange does not know for the wallet', async () => {
      const reply = await enroll(newKey().address, newKey().privateKey);

      expectProblem(reply, 'V1_KEY_NOT_AUTHORIZED');
    });

    it('accepts a key unverified while the exchange cannot be asked', async () => {
      const wallet = newKey().address;
      service.exchange.faults.add({ kind: 'status_500', route: 'POST /info', times: 1 });

      const reply = await enroll(wallet, newKey().privateKey);

      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      expect(reply.body).to.include({ verified: false });
    });

    it('refuses what is no key, and unknown members', async () => {
      expectProblem(await enroll(newKey().address, '0x12'), 'INVALID_REQUEST');
      expectProblem(await enroll(newKey().address, `0x${'0'.repeat(64)}`), 'V1_KEY_UNUSABLE');
      expectProblem(await enroll('0x12', newKey().privateKey), 'INVALID_REQUEST');
      expectProblem(await enroll(newKey().address, newKey().privateKey, { more: 1 }), 'INVALID_REQUEST');
    });
  });

  describe('listSessions, getSession, revokeSession', () => {
    it('show and end only what is the partner’s own', async () => {
      const { privateKey, address } = newKey();
      const stranger = await service.partner();
      await enroll(address, privateKey);

      const listed = await partner.get('/v1/sessions');
      const foreign = await stranger.get(`/v1/sessions/${address}`);
      const notEnded = await stranger.delete(`/v1/sessions/${address}`);
      const ended = await partner.delete(`/v1/sessions/${address}`);
      const gone = await partner.get(`/v1/sessions/${address}`);

      expect(listed.body.map(({ ex_wallet }: { ex_wallet: string }) => ex_wallet)).to.include(address);
      expect((await stranger.get('/v1/sessions')).body).to.deep.equal([]);
      expectProblem(foreign, 'V1_SESSION_UNKNOWN');
      expectProblem(notEnded, 'V1_SESSION_UNKNOWN');
      expect(ended.status).to.equal(204);
      expectProblem(gone, 'V1_SESSION_UNKNOWN');
    });

    it('keep no key of a revoked wallet, and let its own key come back', async () => {
      const { privateKey, address } = newKey();
      await enroll(address, privateKey);

      await partner.delete(`/v1/sessions/${address}`);
      const { rows } = await service.db.query(sql.unsafe`
        select sealed is null as wiped
        from signing_keys
        where ex_wallet = ${address}`);
      const back = await enroll(address, privateKey);

      expect(rows).to.deep.equal([{ wiped: true }]);
      expect(back.body).to.include({ key_version: 2 });
    });
  });

  it('are what exchange writes need', async () => {
    const wallet = newKey().address;

    const reply = await partner.post(
      '/v1/orders/exvenue',
      { pair: 'BTC', side: 'long', size: 1, order_type: 'market' },
      { headers: { 'Trader-ID': wallet } },
    );

    expectProblem(reply, 'V1_NOT_ENROLLED');
  });
});
