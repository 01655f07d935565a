import { expect } from 'chai';
import nock from 'nock';
import { encodeEventTopics } from 'viem/utils';
import { abi } from '../../src/adapters/registrar/chain.ts';
import { registrar } from '../../src/adapters/registrar/index.ts';
import { alone } from '../support/alone.ts';

const ASSET = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const [PAYER, PAYEE, OTHER] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [Hex, Hex, Hex]; // as: one for each
const [NONCE, TX, OTHER_TX] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(64)}`) as [Hex, Hex, Hex]; // as: one for each
type Hex = `0x${string}`;

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
const nowS = () => Math.floor(Date.now() / 1000);
const authorization = { from: PAYER, to: PAYEE, value: '5', nonce: NONCE, validAfter: '0', validBefore: '1' };
const logOf = (eventName: 'AuthorizationUsed' | 'AuthorizationCanceled', authorizer: Hex, nonce: Hex, hash: Hex) => ({
  ...{ address: ASSET, data: '0x', transactionHash: hash },
  topics: encodeEventTopics({ abi, eventName, args: { authorizer, nonce } }),
});
const moved = (address: string, to: Hex) => ({
  ...{ address, data: word(5), transactionHash: TX, blockNumber: '0x1', logIndex: '0x2' },
  topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from: PAYER, to } }),
});

/** A node that responds to each method so, with the id of the request or another one. */
function node(results: Record<string, unknown>, idOf = (id: number) => id) {
  nock('http://chain.test')
    .persist()
    .post('/')
    .reply(200, (_, body) => {
      const { id, method } = body as { id: number; method: string }; // as: a request of the adapter
      return { jsonrpc: '2.0', id: idOf(id), result: results[method] };
    });
  return registrar({
    url: 'http://registrar.test',
    chainUrl: 'http://chain.test',
    network: 'eip155:8453',
    asset: ASSET,
  });
}
const results = {
  eth_chainId: '0x2105',
  eth_getBlockByNumber: { number: '0x1', timestamp: `0x${nowS().toString(16)}` },
  eth_call: word(1),
  eth_getLogs: [logOf('AuthorizationUsed', PAYER, NONCE, TX)],
  eth_getTransactionReceipt: { status: '0x1', logs: [moved(ASSET, PAYEE)] },
};

describe('a node of the payment chain', () => {
  alone();

  it('shows a payment', async () => {
    const paid = await node(results).payment(authorization, 0);

    expect(paid).to.have.property('data').that.includes({ used: true, canceled: false, txHash: TX });
  });

  it('that lists logs of other authorizations and tokens shows neither their payment nor their cancellation', async () => {
    const others = [
      logOf('AuthorizationUsed', OTHER, NONCE, OTHER_TX),
      logOf('AuthorizationCanceled', PAYER, OTHER_TX, OTHER_TX),
      { ...logOf('AuthorizationCanceled', PAYER, NONCE, OTHER_TX), address: OTHER },
    ];

    const paid = await node({ ...results, eth_getLogs: [...others, ...results.eth_getLogs] }).payment(authorization, 0);

    expect(paid).to.have.property('data').that.includes({ used: true, canceled: false, txHash: TX });
  });

  it('that responds to another request is not believed', async () => {
    const read = await node({ ...results, eth_call: word(0) }, (id) => id + 1).payment(authorization, 0);

    expect(read).to.include({ kind: 'unreadable' });
  });

  it('whose time is ahead disproves no payment', async () => {
    const ahead = { number: '0x1', timestamp: `0x${(nowS() + 7_200).toString(16)}` };

    const read = await node({ ...results, eth_getBlockByNumber: ahead, eth_call: word(0) }).payment(authorization, 0);

    expect(read).to.include({ kind: 'unreadable' });
  });

  it('that lists transfers of another token shows no payments to a payee', async () => {
    const used = { ...logOf('AuthorizationUsed', PAYER, NONCE, TX), blockNumber: '0x1', logIndex: '0x1' };
    const paymentsOf = async (token: string) => {
      nock.cleanAll();
      const read = await node({ ...results, eth_getLogs: [used, moved(token, PAYEE)] }).paymentsTo(
        [PAYEE],
        nowS() - 60,
      );
      return read.kind === 'found' && read.data.map(({ txHash }) => txHash);
    };

    expect(await paymentsOf(ASSET)).to.deep.equal([TX]);
    expect(await paymentsOf(OTHER)).to.deep.equal([]);
  });
});
