import { decodeEventLog, encodeEventTopics } from 'viem/utils';
import { z } from 'zod';
import { found, type ReadResult } from '../../kernel/upstream-result.ts';
import { abi, block, hexNumber, hexOf, isSame, type Node, readHead } from './chain.ts';
import { hex, quantity, word } from './rpc.ts';
import type { PaymentMade } from './types.ts';

const [TRANSFER] = encodeEventTopics({ abi, eventName: 'Transfer' });
const [USED] = encodeEventTopics({ abi, eventName: 'AuthorizationUsed' });

/** Nodes return logs of at most 10,000 blocks per request; public ones often fewer. */
const SPAN_BLOCKS = 2_000;

const log = z.object({
  address: hex,
  topics: z.tuple([word, word, word]),
  data: hex,
  transactionHash: word,
  blockNumber: quantity,
  logIndex: quantity,
});
type Log = z.infer<typeof log>;
type Span = readonly [number, number];

/** Reads all payments by authorization to these payees since then, oldest first. Unreadable as a whole if a part of it is. */
export async function readPaymentsTo(
  node: Node,
  payees: readonly string[],
  sinceS: number,
): Promise<ReadResult<PaymentMade[]>> {
  const head = await readHead(node);
  if (head.kind !== 'found') return head;
  const first = await firstBlockSince(node, sinceS, head.data.block);
  if (first.kind !== 'found') return first;
  const all: PaymentMade[] = [];
  for (let from = first.data; from <= head.data.block; from += SPAN_BLOCKS) {
    const read = await paymentsIn(node, payees, [from, Math.min(from + SPAN_BLOCKS - 1, head.data.block)]);
    if (read.kind !== 'found') return read;
    all.push(...read.data);
  }
  return found(all);
}

/** The first block that is not older than `sinceS`, the one after the head if all are: a block is never older than the one before it. */
async function firstBlockSince({ query }: Node, sinceS: number, head: number): Promise<ReadResult<number>> {
  let [low, high] = [0, head + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const read = await query('eth_getBlockByNumber', [hexNumber(middle), false], block);
    if (read.kind !== 'found') return read;
    if (read.data.timestamp < sinceS) low = middle + 1;
    else high = middle;
  }
  return found(low);
}

/** Transfers to a payee that used an authorization of the payer. */
async function paymentsIn(node: Node, payees: readonly string[], span: Span): Promise<ReadResult<PaymentMade[]>> {
  const moved = await logsIn(node, [TRANSFER, null, payees.map(wordOf)], span);
  if (moved.kind !== 'found' || moved.data.length === 0) return moved as ReadResult<never[]>; // as: it is unreadable or empty
  const payers = [...new Set(moved.data.map(({ topics: [, from] }) => from))];
  const used = await logsIn(node, [USED, payers], span);
  if (used.kind !== 'found') return used;
  return found(moved.data.flatMap((transfer) => used.data.filter(isOf(transfer)).slice(-1).map(paymentOf(transfer))));
}

/** The token logs the use of an authorization right before its transfer; one transaction may use several. Logs are in the order of the chain. */
const isOf = (transfer: Log) => (use: Log) =>
  use.transactionHash === transfer.transactionHash &&
  use.topics[1] === transfer.topics[1] &&
  use.logIndex < transfer.logIndex;

const paymentOf =
  ({ topics, data, transactionHash, blockNumber }: Log) =>
  (use: Log): PaymentMade => {
    const { args } = decodeEventLog({ abi, eventName: 'Transfer', topics, data });
    return {
      payer: args.from.toLowerCase(),
      payee: args.to.toLowerCase(),
      units: String(args.value),
      nonce: use.topics[2].toLowerCase(),
      txHash: transactionHash.toLowerCase(),
      block: blockNumber,
    };
  };

const wordOf = (address: string): `0x${string}` => `0x${hexOf(address).slice(2).padStart(64, '0')}`;

/** The logs of the token; those of another one, which were not asked for, move no money. */
async function logsIn({ query, asset }: Node, topics: unknown[], [first, last]: Span): Promise<ReadResult<Log[]>> {
  const filter = { address: asset, topics, fromBlock: hexNumber(first), toBlock: hexNumber(last) };
  const read = await query('eth_getLogs', [filter], z.array(log));
  return read.kind === 'found' ? found(read.data.filter(({ address }) => isSame(address, asset))) : read;
}
