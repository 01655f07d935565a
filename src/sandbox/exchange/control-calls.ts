import type { ControlCall } from '../control-calls.ts';

const WALLET = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const AGENT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

/** The control calls of the exchange. */
export const calls = {
  mid: {
    does: 'Sets the mid price of a coin, which executes the orders and triggers that it reaches.',
    members: { coin: ['BTC', 'a coin of the exchange'], px: ['91000', 'a decimal number, as a text'] },
  },
  funding: {
    does: 'Settles the funding of a coin: long positions pay this share of their value, short ones receive it.',
    members: { coin: ['BTC', 'a coin of the exchange'], rate: ['0.0000125', 'a decimal number, as a text'] },
  },
  fund: {
    does: 'Deposits USD at a wallet.',
    members: {
      address: [WALLET, 'the wallet'],
      usd: ['10000', 'a decimal number, as a text'],
      'dex?': ['spot', 'the market; `spot` sets the spot balance'],
    },
  },
  agent: {
    does: 'Approves an agent, whose key may then trade for the wallet.',
    members: {
      wallet: [WALLET, 'the wallet'],
      agent: [AGENT, 'the address of the agent'],
      'name?': ['bot', 'another agent of this name ends'],
      'validUntil?': [1_798_761_600_000, 'epoch ms; 90 days from now without it'],
    },
  },
  liquidity: {
    does: 'Limits what a taker of a coin gets at once.',
    members: { coin: ['BTC', 'a coin of the exchange'], size: ['0.5', 'the size as a text; null ends the limit'] },
  },
  throttle: { does: 'Rejects the next requests with 429.', members: { times: [1, 'how many'] } },
  behind: {
    does: 'Lets reads be behind the orders.',
    members: {
      ms: [2_000, 'by how much; 0 ends it'],
      'replicas?': [2, 'how many replicas serve the reads, each behind by itself; 1 without it'],
    },
  },
  stream: {
    does: 'Cuts the stream of user events, or lets clients connect again.',
    members: { on: [false, 'true opens it'] },
  },
  'post-only': {
    does: 'Begins or ends a post-only period, as after an upgrade of the exchange.',
    members: { on: [true, 'false ends it'] },
  },
  magic: { reads: true, does: 'Lists the magic sizes.', members: {} },
} as const satisfies Record<string, ControlCall>;
