import { decodeFunctionResult, encodeEventTopics, encodeFunctionData, parseAbi, parseEventLogs } from 'viem';
import { z } from 'zod';
import { found, type Lookup, unreadable } from '../../kernel/answer.ts';
import { type Ask, hex, quantity } from './rpc.ts';
import type { Authorization, CallLimits, Head, PaymentOnChain, Registrar } from './types.ts';

/** ERC-20 and EIP-3009, as far as a payment is looked up. */
const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);
const [USED] = encodeEventTopics({ abi, eventName: 'AuthorizationUsed' });
const [CANCELED] = encodeEventTopics({ abi, eventName: 'AuthorizationCanceled' });

/** An authorization lives for minutes; nodes show logs of at most 10,000 blocks at once. */
const LOOK_AHEAD_BLOCKS = 5_000;

const block = z.object({ number: quantity, timestamp: quantity });
const log = z.object({ address: hex, topics: z.array(hex), data: hex, transactionHash: hex });
const receipt = z.object({ status: quantity, logs: z.array(log) });

type Node = { ask: Ask; chainId: number; asset: string };

/** Reads the payment chain. A chain of another number is not read at all: it would disprove payments that were made. */
export const chainReads = (node: Node): Pick<Registrar, 'head' | 'balanceOf' | 'payment'> => ({
  head: (limits) => readHead(node, limits),
  balanceOf: (address, limits) => readBalance(node, address, limits),
  payment: (authorization, sinceBlock, limits) => readPayment(node, authorization, sinceBlock, limits),
});

async function readHead({ ask, chainId }: Node, limits?: CallLimits): Promise<Lookup<Head>> {
  const known = await ask('eth_chainId', [], quantity, limits);
  if (known.kind !== 'found') return known;
  if (known.said !== chainId) return unreadable('another chain');
  const newest = await ask('eth_getBlockByNumber', ['latest', false], block, limits);
  return newest.kind === 'found' ? found({ block: newest.said.number, atS: newest.said.timestamp }) : newest;
}

async function readBalance({ ask, asset }: Node, address: string, limits?: CallLimits): Promise<Lookup<string>> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [hexOf(address)] });
  const said = await ask('eth_call', [{ to: asset, data }, 'latest'], hex, limits);
  if (said.kind !== 'found') return said;
  if (said.said === '0x') return unreadable('no token there');
  return found(String(decodeFunctionResult({ abi, functionName: 'balanceOf', data: said.said })));
}

async function readPayment(
  node: Node,
  authorization: Authorization,
  sinceBlock: number,
  limits?: CallLimits,
): Promise<Lookup<PaymentOnChain>> {
  const head = await readHead(node, limits);
  if (head.kind !== 'found') return head;
  const { block, atS } = head.said;
  const used = await readUse(node, authorization, block, limits);
  if (used.kind !== 'found') return used;
  if (!used.said) return found({ atS, used: false, canceled: false, txHash: null });
  const span = [sinceBlock, Math.min(block, sinceBlock + LOOK_AHEAD_BLOCKS)] as const;
  const logs = await readLogs(node, authorization, span, limits);
  if (logs.kind !== 'found') return logs;
  const named = (name: string | undefined) => logs.said.find(({ topics: [first] }) => first === name);
  const hash = named(USED)?.transactionHash;
  const isIt = hash !== undefined && (await movedTheMoney(node, hash, authorization, limits));
  return found({ atS, used: true, canceled: named(CANCELED) !== undefined, txHash: isIt ? hash.toLowerCase() : null });
}

/** Asked of the very block whose time is told: what an older node does not know proves nothing. */
async function readUse({ ask, asset }: Node, { from, nonce }: Authorization, block: number, limits?: CallLimits) {
  const args = [hexOf(from), hexOf(nonce)] as const;
  const data = encodeFunctionData({ abi, functionName: 'authorizationState', args });
  const said = await ask('eth_call', [{ to: asset, data }, hexNumber(block)], hex, limits);
  if (said.kind !== 'found') return said;
  if (said.said === '0x') return unreadable('no token there');
  return found(decodeFunctionResult({ abi, functionName: 'authorizationState', data: said.said }));
}

function readLogs(
  { ask, asset }: Node,
  { from, nonce }: Authorization,
  [first, last]: readonly [number, number],
  limits?: CallLimits,
) {
  const args = { authorizer: hexOf(from), nonce: hexOf(nonce) };
  const [, ...indexed] = encodeEventTopics({ abi, eventName: 'AuthorizationUsed', args });
  const topics = [[USED, CANCELED], ...indexed];
  const filter = { address: asset, topics, fromBlock: hexNumber(first), toBlock: hexNumber(last) };
  return ask('eth_getLogs', [filter], z.array(log), limits);
}

/** A used nonce alone proves no payment: the transaction must have moved this amount between these two. */
async function movedTheMoney(
  { ask, asset }: Node,
  hash: string,
  { from, to, value }: Authorization,
  limits?: CallLimits,
): Promise<boolean> {
  const said = await ask('eth_getTransactionReceipt', [hash], receipt, limits);
  if (said.kind !== 'found' || said.said.status !== 1) return false;
  const own = said.said.logs.filter(({ address }) => isSame(address, asset));
  const moved = parseEventLogs({ abi, eventName: 'Transfer', logs: own as never[] }); // as: it reads topics and data, which are there
  return moved.some(({ args }) => isSame(args.from, from) && isSame(args.to, to) && args.value === BigInt(value));
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
const hexOf = (text: string): `0x${string}` => `0x${text.slice(2).toLowerCase()}`;
const hexNumber = (value: number): `0x${string}` => `0x${value.toString(16)}`;
