import { decodeFunctionResult, encodeEventTopics, encodeFunctionData, parseAbi, parseEventLogs } from 'viem/utils';
import { z } from 'zod';
import { found, type ReadResult, unreadable } from '../../kernel/upstream-result.ts';
import { epochMs } from '../../kernel/work.ts';
import { type HttpRequest, hex, quantity, word } from './rpc.ts';
import type { Authorization, CallLimits, Head, PaymentOnChain, Registrar } from './types.ts';

/** The parts of ERC-20 and EIP-3009 that are needed to find a payment. */
export const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);
const [USED] = encodeEventTopics({ abi, eventName: 'AuthorizationUsed' });
const [CANCELED] = encodeEventTopics({ abi, eventName: 'AuthorizationCanceled' });

/** An authorization is valid for minutes. Nodes return logs of at most 10,000 blocks per request. */
const SCAN_AHEAD_BLOCKS = 5_000;

/** The time of a block is at most some seconds ahead. */
const AHEAD_S = 3_600;

/** What a node reports of a block. */
export const block = z.object({ number: quantity, timestamp: quantity });
const log = z.object({ address: hex, topics: z.array(word), data: hex, transactionHash: word });
type Log = z.infer<typeof log>;
/** A boolean of the ABI: a word of 0 or 1. */
const flag = word.refine((text) => /^0x0{63}[01]$/.test(text));
const receipt = z.object({ status: quantity, logs: z.array(log) });

/** The node to read, and the chain and token that it must have. */
export type Node = { query: HttpRequest; chainId: number; asset: string };

/**
 * Reads the payment chain. Another chain id is `unreadable`: the wrong chain would disprove payments that were made.
 */
export const chainReads = (node: Node): Pick<Registrar, 'head' | 'balanceOf' | 'payment'> => ({
  head: (limits) => readHead(node, limits),
  balanceOf: (address, limits) => readBalance(node, address, limits),
  payment: (authorization, sinceBlock, limits) => readPayment(node, authorization, sinceBlock, limits),
});

/** The newest block. */
export async function readHead({ query, chainId }: Node, limits?: CallLimits): Promise<ReadResult<Head>> {
  const chain = await query('eth_chainId', [], quantity, limits);
  if (chain.kind !== 'found') return chain;
  if (chain.data !== chainId) return unreadable('another chain');
  const newest = await query('eth_getBlockByNumber', ['latest', false], block, limits);
  if (newest.kind !== 'found') return newest;
  const { number, timestamp } = newest.data;
  if (timestamp > epochMs() / 1000 + AHEAD_S) return unreadable('a block of the future'); // it would disprove payments that can still be made
  return found({ block: number, atS: timestamp });
}

async function readBalance({ query, asset }: Node, address: string, limits?: CallLimits): Promise<ReadResult<string>> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [hexOf(address)] });
  const reported = await query('eth_call', [{ to: asset, data }, 'latest'], word, limits); // '0x': no token there
  if (reported.kind !== 'found') return reported;
  return found(String(decodeFunctionResult({ abi, functionName: 'balanceOf', data: reported.data })));
}

async function readPayment(
  node: Node,
  authorization: Authorization,
  sinceBlock: number,
  limits?: CallLimits,
): Promise<ReadResult<PaymentOnChain>> {
  const head = await readHead(node, limits);
  if (head.kind !== 'found') return head;
  const { block, atS } = head.data;
  const used = await readUse(node, authorization, block, limits);
  if (used.kind !== 'found') return used;
  if (!used.data) return found({ atS, used: false, canceled: false, txHash: null });
  const span = [sinceBlock, Math.min(block, sinceBlock + SCAN_AHEAD_BLOCKS)] as const;
  const logs = await readLogs(node, authorization, span, limits);
  if (logs.kind !== 'found') return logs;
  const named = (name: string | undefined) => logs.data.find(({ topics: [first] }) => first === name);
  const hash = named(USED)?.transactionHash;
  const isIt = hash !== undefined && (await movedTheMoney(node, hash, authorization, limits));
  return found({ atS, used: true, canceled: named(CANCELED) !== undefined, txHash: isIt ? hash.toLowerCase() : null });
}

/** Reads the state at the block whose time is reported. The state of a node that lags behind proves nothing. */
async function readUse({ query, asset }: Node, { from, nonce }: Authorization, block: number, limits?: CallLimits) {
  const args = [hexOf(from), hexOf(nonce)] as const;
  const data = encodeFunctionData({ abi, functionName: 'authorizationState', args });
  const reported = await query('eth_call', [{ to: asset, data }, hexNumber(block)], flag, limits); // '0x': no token there
  if (reported.kind !== 'found') return reported;
  return found(decodeFunctionResult({ abi, functionName: 'authorizationState', data: reported.data }));
}

/** The logs of this authorization; others, which were not asked for, say nothing of it. */
async function readLogs(
  { query, asset }: Node,
  { from, nonce }: Authorization,
  [first, last]: readonly [number, number],
  limits?: CallLimits,
) {
  const args = { authorizer: hexOf(from), nonce: hexOf(nonce) };
  const [, ...indexed] = encodeEventTopics({ abi, eventName: 'AuthorizationUsed', args });
  const topics = [[USED, CANCELED], ...indexed];
  const filter = { address: asset, topics, fromBlock: hexNumber(first), toBlock: hexNumber(last) };
  const read = await query('eth_getLogs', [filter], z.array(log), limits);
  if (read.kind !== 'found') return read;
  const isIts = (said: Log) => isSame(said.address, asset) && isSame(said.topics.slice(1).join(), indexed.join());
  return found(read.data.filter(isIts));
}

/** A used nonce alone does not prove a payment: the transaction must have moved this amount from `from` to `to`. */
async function movedTheMoney(
  { query, asset }: Node,
  hash: string,
  { from, to, value }: Authorization,
  limits?: CallLimits,
): Promise<boolean> {
  const data = await query('eth_getTransactionReceipt', [hash], receipt, limits);
  if (data.kind !== 'found' || data.data.status !== 1) return false;
  const transfers = data.data.logs.filter(({ address }) => isSame(address, asset));
  const moved = parseEventLogs({ abi, eventName: 'Transfer', logs: transfers as never[] }); // as: it reads topics and data
  return moved.some(({ args }) => isSame(args.from, from) && isSame(args.to, to) && args.value === BigInt(value));
}

/** Whether two texts of a chain are the same. */
export const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
/** An address or a word as nodes take it. */
export const hexOf = (text: string): `0x${string}` => `0x${text.slice(2).toLowerCase()}`;
/** A number as nodes take it. */
export const hexNumber = (value: number): `0x${string}` => `0x${value.toString(16)}`;
