import { atOnce } from '../../kernel/at-once.ts';
import { httpClient, inTurns, type Reply } from '../http.ts';
import { chainReads } from './chain.ts';
import { readPaymentsTo } from './payments-to.ts';
import { payResponse, quoteResponse, statusResponse, tiersResponse } from './responses.ts';
import { nodeAt } from './rpc.ts';
import { chainIdOf, payerOf, REGISTER_PATH } from './signing.ts';
import type { CallLimits, Registering, Registrar, RegistrarAccess } from './types.ts';

/** Before it responds, the registrar verifies, settles on chain and has the miner create the account. */
const PAY_MS = 90_000;
const READ_MS = 10_000;

const client = httpClient();

/**
 * Client of the registrar and of its payment chain. Expected faults are results, not exceptions. It never resends by
 * itself.
 */
export const registrar = ({ url, chainUrl, network, asset, most }: RegistrarAccess): Registrar => {
  const limited = () => inTurns(client, atOnce(most ?? Number.POSITIVE_INFINITY));
  const send = limited();
  const base = url.replace(/\/+$/, ''); // a string: resolving against a URL would drop its path
  const get = (path: string, limits: CallLimits = {}): Promise<Reply> =>
    send({ timeoutMs: READ_MS, ...limits, method: 'GET', url: base + path });
  const post = (body: string, headers: Record<string, string>, limits: CallLimits & { timeoutMs: number }) =>
    send({
      ...limits,
      method: 'POST',
      url: base + REGISTER_PATH,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const node = { query: nodeAt(limited(), chainUrl), chainId: chainIdOf(network), asset };
  return {
    network,
    asset: asset.toLowerCase(),
    payerOf,
    bodyOf,
    tiers: async (minerSlug, limits) => {
      const newer = await get('/api/entity', limits);
      const unknown = newer.kind === 'response' && newer.status === 404;
      return tiersResponse(unknown ? await get('/api/v1/miners', limits) : newer, minerSlug);
    },
    quote: async (body, limits) => quoteResponse(await post(body, {}, { timeoutMs: READ_MS, ...limits })),
    pay: async (body, { header }, { firstSend, proof, ...limits }) => {
      const owner = proof && { 'x-wallet': proof.wallet, 'x-signature': proof.signature, 'x-nonce': proof.nonce };
      const reply = await post(body, { 'payment-signature': header, ...owner }, { timeoutMs: PAY_MS, ...limits });
      return payResponse(reply, firstSend);
    },
    status: async (exAddress, limits) =>
      statusResponse(
        await get(`/api/registration-status?hl_address=${encodeURIComponent(exAddress)}`, limits),
        exAddress,
      ),
    ...chainReads(node),
    paymentsTo: (payees, sinceS) => readPaymentsTo(node, payees, sinceS),
  };
};

/** The request body as JSON text. See venues/registrar.md#purchase. */
const bodyOf = ({ minerSlug, exAddress, accountSize, email, tierIndex, payoutAddress }: Registering): string =>
  JSON.stringify({
    minerSlug,
    hlAddress: exAddress,
    accountSize,
    email,
    tierIndex,
    ...(payoutAddress !== undefined && { payoutAddress }),
  });
