import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { RegistrarUpstream } from '../../../src/sandbox/registrar/index.ts';
import { startRegistrarUpstream } from '../../../src/sandbox/registrar/index.ts';
import { bearer, asking as byHand } from '../identity.ts';
import { eventually } from '../money.ts';
import { type Relay, relayTo } from '../relay.ts';
import { startTrading } from '../trading.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';
import type { Area } from './suite.ts';

const REGISTER = '/v1/register/exvenue';
const QUICK = {
  REGISTRAR_PATIENCE_MS: '700',
  REGISTRATION_VALID_S: '3',
  REGISTRATION_MARGIN_S: '0',
  REGISTRATION_POLL_MS: '100',
  REGISTRATION_GRACE_MS: '800',
  REGISTRATION_DEADLINE_MS: '2000',
};

let registrar: RegistrarUpstream;
let relay: Relay;

/** Registrations that are paid at a registrar; its chain is simulated, and a relay before it can change what it says. */
export const registrationArea: Area = {
  async start() {
    registrar = await startRegistrarUpstream();
    relay = await relayTo(registrar.url);
    const service = await startTrading({ settings: { ...QUICK, ...registrar.settings, REGISTRAR_URL: relay.url } });
    return {
      ...service,
      async stop() {
        await service.stop();
        await relay.close();
        await registrar.close();
      },
    };
  },
  scenes: [registrationScenes],
};

function registrationScenes({ service, asking, counts }: Stage): Scenes {
  const buyer = async () => {
    const { key } = await service().partner();
    const privateKey = generatePrivateKey();
    const account = privateKeyToAccount(privateKey);
    const usual = {
      ...{ miner_slug: registrar.minerSlug, account_size: 25_000, email: 'trader@example.com' },
      ...{ ex_wallet: account.address.toLowerCase(), private_key: privateKey },
    };
    const buy =
      (more: object = {}) =>
      (once: string) =>
        asking(bearer(key))('POST', REGISTER, keyed(once, { ...usual, ...more }));
    const setUp = byHand(service().url, bearer(key));
    const status = async () => (await setUp('GET', `${REGISTER}/status/${usual.ex_wallet}`)).body;
    return { setUp, account, wallet: usual.ex_wallet, usual, buy, status, ask: asking(bearer(key)) };
  };
  const makes = async () => registrar.ledger.entries().filter(({ kind }) => kind === 'registration').length;
  const refused = (wrong: object) => async (): Promise<Scene> => {
    const { buy } = await buyer();
    return { makes, send: buy(wrong), instead: buy() };
  };
  const fails = (fault: () => void, heals: () => void) => async (): Promise<Scene> => {
    const { buy } = await buyer();
    fault();
    return { makes, heal: heals, send: buy() };
  };
  const faults = { clear: () => registrar.faults.clear() };
  return {
    V1_MINER_UNKNOWN: refused({ miner_slug: 'nobody' }),
    V1_ACCOUNT_SIZE_UNKNOWN: refused({ account_size: 777 }),
    V1_REGISTRATION_CAP: fails(
      () => registrar.faults.add({ kind: 'reject', route: 'POST /api/register' }),
      faults.clear,
    ),
    V1_PAYMENT_REFUSED: fails(() => registrar.faults.add({ kind: 'reject', route: 'register/verify' }), faults.clear),
    V1_REGISTRAR_UNREACHABLE: fails(() => registrar.faults.add({ kind: 'reset' }), faults.clear),
    V1_PAYMENT_TERMS_UNFIT: fails(
      () => {
        relay.handle = async ({ name, forward }) => {
          const reply = await forward();
          if (reply === 'lost' || !name.endsWith('/api/entity')) return reply;
          return { ...reply, body: String(reply.body).replaceAll('"119"', '"1"') }; // a fee that nobody is asked for
        };
      },
      () => {
        relay.handle = ({ forward }) => forward();
      },
    ),
    async V1_BALANCE_TOO_LOW() {
      const { buy, wallet } = await buyer();
      service().exchange.fund(wallet, '-100000');
      return {
        makes,
        heal: () => service().exchange.fund(wallet, '100000'),
        send: buy(),
      };
    },
    async V1_REGISTRATION_UNDER_WAY() {
      const { buy, usual, setUp, status } = await buyer();
      registrar.faults.add({ kind: 'reset' });
      await setUp('POST', REGISTER, { json: usual, headers: { Prefer: 'wait=0' } });
      return {
        makes,
        async heal() {
          await eventually(async () => (await status()).is_terminal);
          registrar.faults.clear();
        },
        send: buy(),
      };
    },
    async V1_ALREADY_REGISTERED() {
      const { buy, usual, setUp, ask, wallet } = await buyer();
      await setUp('POST', REGISTER, { json: usual });
      return {
        shows: ({ is_success }) => is_success,
        send: buy(),
        instead: () => ask('GET', `${REGISTER}/status/${wallet}`),
      };
    },
    async V1_REGISTRATION_UNRECORDED() {
      const { buy, usual, setUp, status, wallet } = await buyer();
      await setUp('POST', REGISTER, { json: { ...usual, email: 'unrecorded@example.com' } });
      await eventually(async () => (await status()).is_terminal);
      return {
        makes,
        send: buy(),
        heal: () =>
          service().db.query(sql.unsafe`
            select ops.release_registration(u.tx_hash, 'ada', 'the registrar paid it back')
            from ops.unrecorded_registrations u
            where u.ex_address = ${wallet}`),
        instead: buy(),
      };
    },
    async V1_WALLET_UNPROVEN() {
      const { ask, setUp, account, wallet } = await buyer();
      let proof: object = {};
      return {
        makes: counts.rows(`subaccounts where ex_address = '${wallet}'`),
        async heal() {
          const { message } = (await setUp('POST', '/v1/register/challenge', { json: { ex_address: wallet } })).body;
          proof = { ownership_proof: { message, signature: await account.signMessage({ message }) } };
        },
        send: (key) =>
          ask('POST', '/v1/register/netvenue', keyed(key, { ex_address: wallet, payout_address: wallet, ...proof })),
      };
    },
  };
}
