import { decodeFunctionResult, encodeEventTopics, encodeFunctionData, parseAbi, parseEventLogs } from 'viem';
import { z } from 'zod';
import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import { type HttpClient, parseJson } from '../http.ts';
import type { Authorization, CallLimits, Head, PaymentOnChain } from './types.ts';

/** ERC-20 and EIP-3009, as far as a payment is looked up. */
const token = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

const READ_MS = 5_000;
/** An authorization lives for minutes; nodes show logs of at most 10,000 blocks at once. */
const LOOK_AHEAD_BLOCKS = 5_000;

const hex = z.custom<`0x${string}`>((text) => typeof text === 'string' && /^0x[0-9a-f]*$/i.test(text));
const number = hex.transform(Number);
const block = z.object({ number, timestamp: number });
const log = z.object({ address: hex, topics: z.array(hex), data: hex, transactionHash: hex });
const receipt = z.object({ status: hex, logs: z.array(log) });

export type ChainAccess = { url: string; chainId: number; asset: string };
type Log = z.infer<typeof log>;

/** Reads the payment chain by JSON-RPC. A chain of another number is not read at all: it would disprove payments. */
export function chain(send: HttpClient, { url, chainId, asset }: ChainAccess) {
  const ask = asker(send, url);
  const call = (data: `0x${string}`, at: string, limits?: CallLimits) =>
    ask('eth_call', [{ to: asset, data }, at], hex, limits);

  const head = async (limits?: CallLimits): Promise<Lookup<Head>> => {
    const known = await ask('eth_chainId', [], number, limits);
    if (known.kind !== 'found') return known;
    if (known.said !== chainId) return unreadable('another chain');
    const newest = await ask('eth_getBlockByNumber', ['latest', false], block, limits);
    return newest.kind === 'found' ? found({ block: newest.said.number, atS: newest.said.timestamp }) : newest;
  };

  const balanceOf = async (address: string, limits?: CallLimits): Promise<Lookup<string>> => {
    const data = encodeFunctionData({ abi: token, functionName: 'balanceOf', args: [hexOf(address)] });
    const said = await call(data, 'latest', limits);
    if (said.kind !== 'found') return said;
    if (said.said === '0x') return unreadable('no token there');
    return found(String(decodeFunctionResult({ abi: token, functionName: 'balanceOf', data: said.said })));
  };

  const payment = async (
    authorization: Authorization,
    sinceBlock: number,
    limits?: CallLimits,
  ): Promise<Lookup<PaymentOnChain>> => {
    const at = await head(limits);
    if (at.kind !== 'found') return at;
    const { block, atS } = at.said;
    const args = [hexOf(authorization.from), hexOf(authorization.nonce)] as const;
    const data = encodeFunctionData({ abi: token, functionName: 'authorizationState', args });
    const state = await call(data, hexNumber(block), limits); // of the block whose time is told: an older node proves nothing
    if (state.kind !== 'found') return state;
    if (BigInt(state.said === '0x' ? '0x0' : state.said) === 0n) {
      return found({ atS, used: false, canceled: false, txHash: null });
    }
    const topics = [
      NAMES,
      ...encodeEventTopics({ abi: token, eventName: 'AuthorizationUsed', args: named(args) }).slice(1),
    ];
    const [fromBlock, toBlock] = [sinceBlock, Math.min(block, sinceBlock + LOOK_AHEAD_BLOCKS)].map(hexNumber);
    const logs = await ask('eth_getLogs', [{ address: asset, topics, fromBlock, toBlock }], z.array(log), limits);
    if (logs.kind !== 'found') return logs;
    const canceled = logs.said.some(({ topics: [name] }) => name === CANCELED);
    const [use] = logs.said.filter(({ topics: [name] }) => name === USED);
    const txHash = use ? await transferOf(use, authorization, limits) : null;
    return found({ atS, used: true, canceled, txHash });
  };

  /** A used nonce alone proves no payment: the transaction must have moved this amount between these two. */
  const transferOf = async (use: Log, { from, to, value }: Authorization, limits?: CallLimits) => {
    const said = await ask('eth_getTransactionReceipt', [use.transactionHash], receipt, limits);
    if (said.kind !== 'found' || Number(said.said.status) !== 1) return null;
    const own = said.said.logs.filter(({ address }) => address.toLowerCase() === asset.toLowerCase());
    const moved = parseEventLogs({ abi: token, eventName: 'Transfer', logs: own as never[] }); // as: the members it reads are there
    const isIt = moved.some(
      ({ args }) =>
        args.from.toLowerCase() === from.toLowerCase() &&
        args.to.toLowerCase() === to.toLowerCase() &&
        args.value === BigInt(value),
    );
    return isIt ? use.transactionHash.toLowerCase() : null;
  };

  return { head, balanceOf, payment };
}

const [USED] = encodeEventTopics({ abi: token, eventName: 'AuthorizationUsed' });
const [CANCELED] = encodeEventTopics({ abi: token, eventName: 'AuthorizationCanceled' });
const NAMES = [USED, CANCELED];
const named = ([authorizer, nonce]: readonly [`0x${string}`, `0x${string}`]) => ({ authorizer, nonce });

const hexOf = (text: string): `0x${string}` => `0x${text.slice(2)}`;
const hexNumber = (value: number): `0x${string}` => `0x${value.toString(16)}`;

const answered = z.object({ result: z.unknown() });

/** One question of JSON-RPC 2.0; whatever is not a result of the expected shape is unreadable. */
const asker =
  (send: HttpClient, url: string) =>
  async <T>(method: string, params: unknown[], shape: z.ZodType<T>, limits: CallLimits = {}): Promise<Lookup<T>> => {
    const reply = await send({
      timeoutMs: READ_MS,
      ...limits,
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    if (reply.kind !== 'response') return unreadable(reply.why);
    const said = answered.safeParse(parseJson(reply.text));
    const result = shape.safeParse(said.data?.result);
    return result.success ? found(result.data) : unreadable(`${method} said nothing readable`);
  };
