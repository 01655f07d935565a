import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseAbi,
  parseEventLogs,
  parseSignature,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { PayChain, Payment } from '../../src/sandbox/registrar/chain.ts';
import token from './token/usdc.json' with { type: 'json' };

const ANVIL = fileURLToPath(new URL('../../node_modules/.bin/anvil', import.meta.url));
const CHAIN_ID = 8453;
/** The public phrase of every development chain; its accounts have gas there and nowhere else. */
const PHRASE = 'test test test test test test test test test test test junk';

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function balanceOf(address) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

export type Transferred = { from: string; to: string; value: bigint; txHash: string };

/** A development chain with Base's chain id and a dollar token, and a relayer that pays the gas. */
export type TestChain = PayChain & {
  url: string;
  mint(address: string, units: bigint): Promise<void>;
  /** Every transfer of the token except the minting, in the order of the chain. */
  transfers(): Promise<Transferred[]>;
  close(): Promise<void>;
};

/** Starts anvil on a free port, and deploys the token. */
export async function startChain(): Promise<TestChain> {
  const anvil = spawn(ANVIL, ['--port', '0', '--chain-id', String(CHAIN_ID)], { stdio: ['ignore', 'pipe', 'ignore'] });
  const killed = () => anvil.kill('SIGKILL');
  process.once('exit', killed);
  const url = await listening(anvil.stdout);
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = http(url);
  const reader = createPublicClient({ chain, transport, pollingInterval: 20 });
  const relayer = createWalletClient({ chain, transport, account: mnemonicToAccount(PHRASE) });
  const deployed = await relayer.deployContract({ abi, bytecode: token.bytecode as `0x${string}` });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployed });
  const address = String(contractAddress) as `0x${string}`;
  const sending = new PQueue({ concurrency: 1 }); // the nonces of the relayer must not have gaps
  const beat = setInterval(() => void reader.request({ method: 'evm_mine' } as never).catch(() => {}), 1_000); // as: anvil's own term
  const onToken = { address, abi } as const;

  return {
    url,
    token: { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: address },
    nowS: async () => Number((await reader.getBlock()).timestamp),
    balanceOf: (of) => reader.readContract({ ...onToken, functionName: 'balanceOf', args: [of as `0x${string}`] }),
    isUsed: (payer, nonce) =>
      reader.readContract({
        ...onToken,
        functionName: 'authorizationState',
        args: [payer as `0x${string}`, nonce as `0x${string}`],
      }),
    settle: (payment) =>
      sending.add(async () => {
        try {
          const call = { ...onToken, functionName: 'transferWithAuthorization', args: argsOf(payment) } as const;
          const hash = await relayer.writeContract(call);
          const { status } = await reader.waitForTransactionReceipt({ hash });
          return status === 'success' ? { txHash: hash } : { rejected: 'reverted' };
        } catch (error) {
          return { rejected: String(error).match(/FiatTokenV2: [a-z ]+|ERC20: [a-z ]+/)?.[0] ?? String(error) };
        }
      }),
    mint: async (to, units) => {
      await sending.add(async () => {
        const hash = await relayer.writeContract({
          ...onToken,
          functionName: 'mint',
          args: [to as `0x${string}`, units],
        });
        await reader.waitForTransactionReceipt({ hash });
      });
    },
    async transfers() {
      const logs = await reader.getLogs({ address, fromBlock: 0n, toBlock: 'latest' });
      return parseEventLogs({ abi, eventName: 'Transfer', logs })
        .filter(({ args }) => !/^0x0+$/.test(args.from))
        .map(({ args, transactionHash }) => ({ ...args, txHash: transactionHash }));
    },
    async close() {
      clearInterval(beat);
      process.off('exit', killed);
      await new Promise((resolve) => anvil.once('exit', resolve).kill('SIGKILL'));
    },
  };
}

const argsOf = ({ from, to, value, validAfter, validBefore, nonce, signature }: Payment) => {
  const { r, s, yParity } = parseSignature(signature);
  return [from, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s] as const;
};

async function listening(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, where] = /Listening on (\S+)/.exec(line) ?? [];
    if (where) {
      output.resume();
      return `http://${where}`;
    }
  }
  throw new Error('anvil ended before it listened');
}
