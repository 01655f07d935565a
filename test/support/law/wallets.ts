import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type Ask, bearer, asking as byHand } from '../identity.ts';
import { until } from '../processes.ts';
import { type Relay, relayTo } from '../relay.ts';
import { startTrading } from '../trading.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';
import type { Area } from './suite.ts';

const SESSIONS = '/v1/sessions';
const EXCHANGE = '/v1/orders/exvenue';
const BTC = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const HOUR_MS = 3_600_000;
const addressOf = (key: `0x${string}`) => privateKeyToAddress(key).toLowerCase();

let exchange: Relay;
let miner: Relay;

/** Wallets of the exchange and their keys, and what the venues say of them; a relay before each can change it. */
export const walletArea: Area = {
  async start() {
    [exchange, miner] = [await relayTo(), await relayTo()];
    const service = await startTrading({
      settings: { ORDER_DEADLINE_MS: '2500', EXVENUE_URL: exchange.url, NETVENUE_MINER_URL: miner.url },
    });
    exchange.target = service.exchange.url;
    miner.target = service.miner.minerUrl;
    return {
      ...service,
      async stop() {
        await service.stop();
        await Promise.all([exchange.close(), miner.close()]);
      },
    };
  },
  scenes: [keyScenes, linkScenes],
};

function keyScenes({ service, asking, counts }: Stage): Scenes {
  const enrollments = counts.rows('enrollments');
  const partner = async () => {
    const { key } = await service().partner();
    const enroll = (ex_wallet: string, private_key: string) => (once: string) =>
      asking(bearer(key))('POST', SESSIONS, keyed(once, { ex_wallet, private_key }));
    return { key, setUp: byHand(service().url, bearer(key)), enroll, ask: asking(bearer(key)) };
  };
  const approve = (master: string, agent: `0x${string}`, untilMs = Date.now() + HOUR_MS, name = 'desk') =>
    service().exchange.approveAgent(master, addressOf(agent), name, untilMs);
  const passing = (relay: Relay) => () => {
    relay.handle = ({ forward }) => forward();
  };
  const placing = async (): Promise<Pick<Scene & { makes: () => Promise<number> }, 'makes' | 'send'>> => {
    const { key, wallet } = await service().wallet();
    const ask = asking({ ...bearer(key), 'Trader-ID': wallet });
    return { makes: counts.atExchange(), send: (once) => ask('POST', EXCHANGE, keyed(once, BTC)) };
  };
  return {
    // first, while no price is known from an earlier scene
    async V1_NO_PRICE() {
      exchange.handle = async ({ text, forward }) => {
        const reply = await forward();
        if (reply === 'lost' || !text.includes('"allMids"')) return reply;
        const { BTC: _, ...mids } = JSON.parse(String(reply.body));
        return { ...reply, body: JSON.stringify(mids) };
      };
      return { ...(await placing()), heal: passing(exchange) };
    },
    async V1_KEY_NOT_AUTHORIZED() {
      const [{ enroll }, master, agent] = [await partner(), addressOf(generatePrivateKey()), generatePrivateKey()];
      return { makes: enrollments, heal: () => approve(master, agent), send: enroll(master, agent) };
    },
    async V1_WALLET_IS_AGENT() {
      const [{ enroll }, master, agent] = [await partner(), addressOf(generatePrivateKey()), generatePrivateKey()];
      approve(master, agent);
      return {
        makes: enrollments,
        send: enroll(addressOf(agent), agent),
        instead: (key, { body }) => enroll(body.error.reason, agent)(key),
      };
    },
    async V1_AGENT_RETIRED() {
      const [{ enroll, setUp }, master] = [await partner(), addressOf(generatePrivateKey())];
      const [first, second, third] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()];
      for (const [n, agent] of [first, second, third].entries())
        approve(master, agent, Date.now() + HOUR_MS, `desk ${n}`);
      for (const private_key of [first, second])
        await setUp('POST', SESSIONS, { json: { ex_wallet: master, private_key } });
      return {
        makes: counts.rows(`signing_keys where ex_wallet = '${master}'`),
        send: enroll(master, first),
        instead: enroll(master, third),
      };
    },
    async V1_KEY_REJECTED() {
      const [{ key, setUp }, master, agent] = [await partner(), addressOf(generatePrivateKey()), generatePrivateKey()];
      const headers = { ...bearer(key), 'Trader-ID': master };
      const json = { ex_wallet: master, private_key: agent };
      approve(master, agent);
      await setUp('POST', SESSIONS, { json });
      approve(master, agent, Date.now() - 1);
      await byHand(service().url, headers)('POST', EXCHANGE, { json: BTC });
      return {
        makes: counts.atExchange(),
        async heal() {
          approve(master, agent);
          await setUp('POST', SESSIONS, { json });
        },
        send: (once) => asking(headers)('POST', EXCHANGE, keyed(once, BTC)),
      };
    },
    async VENUE_RATE_LIMITED() {
      service().exchange.faults.add({ kind: 'status_429', route: 'POST /exchange' });
      return { ...(await placing()), heal: () => service().exchange.faults.clear() };
    },
    async VENUE_AUTH() {
      const { ask } = await partner();
      miner.handle = async () => ({ status: 401, headers: {}, body: '{"error":"Unauthorized"}' });
      return {
        makes: counts.rows('subaccounts'),
        heal: passing(miner),
        send: (key) =>
          ask('POST', '/v1/register/netvenue', keyed(key, { asset_class: 'crypto', account_size: 10_000 })),
      };
    },
  };
}

let links = 0;

/** Links of wallets that operators move to the partner that has proven the wallet. */
function linkScenes({ service, asking, counts }: Stage): Scenes {
  const moved = counts.rows(`subaccounts where link_proof = 'operator'`);
  const stage = async () => {
    const { token } = await service().admin();
    const ask = asking(bearer(token));
    const privateKey = generatePrivateKey();
    const [wallet, owner, { owner: partner_id, key }] = [
      addressOf(privateKey),
      await service().partner(),
      await service().partner(),
    ];
    const move = (of: string) => (once: string) =>
      ask('POST', `/v2/admin/wallet-links/${of}/move`, keyed(once, { partner_id, reason: 'signed' }));
    return {
      ask,
      wallet,
      privateKey,
      owner: owner.owner,
      partner: byHand(service().url, bearer(key)),
      partner_id,
      move,
    };
  };
  type Staged = Awaited<ReturnType<typeof stage>>;
  return {
    async V2_TRADER_UNKNOWN() {
      const staged = await stage();
      await link(staged, null);
      await enroll(staged);
      return { makes: moved, send: staged.move(`0x${'0'.repeat(40)}`), instead: staged.move(staged.wallet) };
    },
    async V2_WALLET_UNPROVEN() {
      const staged = await stage();
      await link(staged, null);
      return {
        makes: moved,
        async heal() {
          await staged.partner('POST', '/v1/register/challenge', { json: { ex_address: staged.wallet } });
          await enroll(staged);
        },
        send: staged.move(staged.wallet),
      };
    },
    async V2_WALLET_PROVEN() {
      const staged = await stage();
      await link(staged, 'signature');
      return {
        shows: (body) => JSON.stringify(body).includes(staged.owner),
        send: staged.move(staged.wallet),
        instead: () => staged.ask('GET', `/v2/admin/partners/${staged.owner}`),
      };
    },
    async V2_LINK_PAYS_OTHERS() {
      const staged = await stage();
      await link(staged, null, `0x${'ab'.repeat(20)}`);
      await enroll(staged);
      return {
        makes: counts.rows(`subaccounts where ex_address = '${staged.wallet}' and owner = '${staged.partner_id}'`),
        send: staged.move(staged.wallet),
        instead: (key) => staged.partner('POST', '/v1/register/netvenue', keyed(key, { ex_address: staged.wallet })),
      };
    },
  };

  async function link({ wallet, owner }: Staged, proof: string | null, paysTo: string | null = null): Promise<void> {
    links += 1;
    await service().db.query(sql.unsafe`
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, ex_address,
        link_proof, payout_address, status)
      values (${`linked_${links}`}, 'linked', ${links}, ${owner}, gen_random_uuid(), 'hl_all', 10000, ${wallet}, ${proof}, ${paysTo}, 'active')`);
  }

  /** For some seconds after a 429 of an earlier scene the key cannot be verified. */
  function enroll({ wallet, privateKey, partner }: Staged): ReturnType<Ask> {
    return until(
      'the key is verified',
      async () => {
        const reply = await partner('POST', SESSIONS, { json: { ex_wallet: wallet, private_key: privateKey } });
        return reply.body.verified === true ? reply : null;
      },
      20_000,
    );
  }
}
