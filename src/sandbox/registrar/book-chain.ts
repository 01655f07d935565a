import { randomBytes } from 'node:crypto';
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  parseAbi,
  toHex,
} from 'viem';
import type { Ledger } from '../ledger.ts';
import type { Route } from '../upstream.ts';
import { faultOf, type PayChain, type Payment, type Token } from './chain.ts';

const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

type Transfer = Payment & { txHash: string; block: number };
/** Settled transfers, by payer and nonce. */
export type Transfers = Map<string, Transfer>;
type Book = { token: Token; startUnits: bigint; transfers: Transfers };

/**
 * A chain simulated in memory. It applies the token's rules on signature, time, nonce and balance, with one block per
 * second.
 */
export type BookChain = PayChain & { route: Route; transfers: Transfers };

/**
 * Opens a simulated chain on which every address held `startUnits` before these transfers. Its route supports the
 * JSON-RPC methods that are needed to find a payment.
 */
export function openBookChain(
  ledger: Ledger,
  { token, startUnits }: { token: Token; startUnits: bigint },
  transfers: Transfers = new Map(),
): BookChain {
  const book: Book = { token, startUnits, transfers };
  const chain: PayChain = {
    token,
    nowS: async () => Math.floor(Date.now() / 1000),
    balanceOf: async (address) => balanceOf(book, address),
    isUsed: async (payer, nonce) => book.transfers.has(nameOf(payer, nonce)),
    async settle(payment) {
      const rejected = await faultOf(chain, payment);
      const name = nameOf(payment.from, payment.nonce);
      if (rejected) return { rejected };
      if (book.transfers.has(name)) return { rejected: 'invalid_transaction_state' }; // used meanwhile
      const txHash = `0x${randomBytes(32).toString('hex')}`;
      book.transfers.set(name, { ...payment, txHash, block: blockNow() });
      const { from, to, value } = payment;
      ledger.record({
        key: payment.nonce,
        kind: 'transfer',
        detail: { tx_hash: txHash, from, to, value: String(value) },
      });
      return { txHash };
    },
  };
  const route: Route = { method: 'POST', path: '/chain', reads: true, response: ({ json }) => response(book, json) };
  return { ...chain, route, transfers };
}

const nameOf = (payer: string, nonce: string) => `${payer}:${nonce}`.toLowerCase();

const START_S = 1_700_000_000;

/** The block number: one block per second since a fixed time, so numbering continues after a restart. */
const blockNow = () => Math.floor(Date.now() / 1000) - START_S;

function balanceOf({ startUnits, transfers }: Book, address: string): bigint {
  const is = (other: string) => other.toLowerCase() === address.toLowerCase();
  let units = startUnits;
  for (const { from, to, value } of transfers.values()) units += (is(to) ? value : 0n) - (is(from) ? value : 0n);
  return units;
}

type Requested = { id?: unknown; method?: string; params?: unknown[] };

function response(book: Book, json: unknown) {
  const { id = null, method = '', params = [] } = Object(json) as Requested; // as: a missing method is unknown below
  const result = methods[method]?.(book, params);
  const data = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  return { status: 200, body: { jsonrpc: '2.0', id, ...data } };
}

const methods: Record<string, (book: Book, params: unknown[]) => unknown> = {
  eth_chainId: ({ token }) => toHex(token.chainId),
  eth_getBlockByNumber: (_, [which]) => {
    const number = which === 'latest' ? blockNow() : Number(which);
    return { number: toHex(number), timestamp: toHex(START_S + number) };
  },
  eth_call: (book, [requested]) => call(book, (requested as { data: `0x${string}` }).data),
  eth_getLogs: (book, [filter]) => {
    const { topics, fromBlock, toBlock } = filter as { topics: Sought[]; fromBlock: string; toBlock: string };
    return logsOf(book)
      .filter(({ blockNumber: block }) => Number(block) >= Number(fromBlock) && Number(block) <= Number(toBlock))
      .filter((log) =>
        topics.every((sought, n) => sought === null || [sought].flat().includes(log.topics[n] as never)),
      ); // as: one form of text
  },
  eth_getTransactionReceipt: (book, [hash]) => {
    const logs = logsOf(book).filter(({ transactionHash }) => transactionHash === hash);
    return logs.length > 0 ? { status: '0x1', logs } : null;
  },
};

/** A topic of a filter: this one, one of these, or any. */
type Sought = string | string[] | null;

function call(book: Book, data: `0x${string}`): `0x${string}` {
  const { functionName, args } = decodeFunctionData({ abi, data });
  if (functionName === 'balanceOf')
    return encodeFunctionResult({ abi, functionName, result: balanceOf(book, args[0]) });
  return encodeFunctionResult({ abi, functionName, result: book.transfers.has(nameOf(args[0], args[1])) });
}

/** All logs in their order. `logIndex` counts those of all blocks, where a real chain counts those of one. */
const logsOf = (book: Book) =>
  [...book.transfers.values()]
    .flatMap((transfer) => [usedLog(book, transfer), transferLog(book, transfer)])
    .map((log, n) => ({ ...log, logIndex: toHex(n) }));

const logOf = ({ token }: Book, { txHash, block }: Transfer) => ({
  address: token.verifyingContract,
  transactionHash: txHash,
  blockNumber: toHex(block),
});

const usedLog = (book: Book, transfer: Transfer) => ({
  ...logOf(book, transfer),
  topics: encodeEventTopics({
    abi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: transfer.from, nonce: transfer.nonce },
  }),
  data: '0x',
});

const transferLog = (book: Book, transfer: Transfer) => ({
  ...logOf(book, transfer),
  topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from: transfer.from, to: transfer.to } }),
  data: encodeAbiParameters([{ type: 'uint256' }], [transfer.value]),
});
