import { expect } from 'chai';
import nock from 'nock';
import { encodeAbiParameters, encodeEventTopics, pad, parseAbi, toHex } from 'viem';
import { registrar } from '../../src/adapters/registrar/index.ts';

const CHAIN = 'http://chain.test';
const ASSET = `0x${'c'.repeat(40)}`;
const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);
const ANN = `0x${'a'.repeat(40)}` as const;
const BOB = `0x${'b'.repeat(40)}` as const;
const TO = `0x${'f'.repeat(40)}` as const;

type Filter = { topics: (string | string[] | null)[] };
type Log = { topics: (string | null)[]; data: string };
const used = (authorizer: `0x${string}`, nonce: number): Log => ({
  topics: encodeEventTopics({
    abi,
    eventName: 'AuthorizationUsed',
    args: { authorizer, nonce: pad(toHex(nonce)) },
  }) as string[],
  data: '0x',
});
const moved = (from: `0x${string}`, units: number): Log => ({
  topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to: TO } }) as string[],
  data: encodeAbiParameters([{ type: 'uint256' }], [BigInt(units)]),
});

/** A transaction of somebody else's contract may hold any of these, in any order. */
describe('the payments to a payee', () => {
  after(() => nock.cleanAll());

  /** A node whose one block has the transactions with these logs, in the order of the chain. */
  function chainOf(transactions: Log[][]): void {
    const logs = transactions
      .flatMap((own, tx) =>
        own.map((log) => ({ ...log, address: ASSET, transactionHash: pad(toHex(tx + 1)), blockNumber: '0x0' })),
      )
      .map((log, n) => ({ ...log, logIndex: toHex(n) }));
    const isMeant = (log: Log, topics: Filter['topics']) =>
      topics.every((topic, n) => topic === null || [topic].flat().some((each) => each === log.topics[n]));
    const results: Record<string, (filter: Filter) => unknown> = {
      eth_chainId: () => toHex(8453),
      eth_getBlockByNumber: () => ({ number: '0x0', timestamp: '0x64' }),
      eth_getLogs: ({ topics }) => logs.filter((log) => isMeant(log, topics)),
    };
    nock.cleanAll();
    nock(CHAIN)
      .persist()
      .post('/')
      .reply(200, (_, body) => {
        const { id, method, params } = body as { id: number; method: string; params: [Filter] }; // as: JSON-RPC
        return { jsonrpc: '2.0', id, result: results[method]?.(params[0]) };
      });
  }

  async function read(...transactions: Log[][]) {
    chainOf(transactions);
    const upstream = registrar({ url: 'http://127.0.0.1:9', chainUrl: CHAIN, network: 'eip155:8453', asset: ASSET });
    const made = await upstream.paymentsTo([TO], 0);
    return made.kind === 'found'
      ? made.data.map(({ payer, units, nonce }) => [payer, Number(units), Number(nonce)])
      : made;
  }

  it('are several of one transaction, each by the authorization used right before it', async () => {
    expect(await read([used(ANN, 1), moved(ANN, 5), used(ANN, 2), moved(ANN, 6)])).to.deep.equal([
      [ANN, 5, 1],
      [ANN, 6, 2],
    ]);
  });

  it('are by an authorization of the payer, not by one of another in the same transaction', async () => {
    expect(await read([used(ANN, 1), moved(ANN, 5), moved(BOB, 6)])).to.deep.equal([[ANN, 5, 1]]);
    expect(await read([used(ANN, 1), used(BOB, 2), moved(ANN, 5), moved(BOB, 6)])).to.deep.equal([
      [ANN, 5, 1],
      [BOB, 6, 2],
    ]);
  });

  it('are by one of the same transaction, not of an earlier one', async () => {
    expect(await read([used(ANN, 1), moved(ANN, 5)], [moved(ANN, 6)])).to.deep.equal([[ANN, 5, 1]]);
  });

  it('are none without an authorization before the transfer', async () => {
    expect(await read([moved(ANN, 5), used(ANN, 1), moved(ANN, 6)])).to.deep.equal([[ANN, 6, 1]]);
  });
});
