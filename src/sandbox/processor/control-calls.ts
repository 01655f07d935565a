import type { ControlCall } from '../control-calls.ts';

/** The control calls of the card processor. Amounts are in cents. */
export const calls = {
  payment: {
    does: 'Moves a payment.',
    members: {
      id: ['pi_1', '`processor_payment_intent_id` of the checkout'],
      to: ['succeeded', 'succeeded, declined, refunded, disputed, inquired'],
      'amount?': [5_000, 'a part of it; the whole without it'],
      'currency?': ['usd', 'of `succeeded`: the currency in which it was paid'],
    },
  },
  refund: {
    does: 'Moves a refund.',
    members: { id: ['re_1', 'the refund'], to: ['failed', 'succeeded, failed, canceled, pending'] },
  },
  dispute: {
    does: 'Moves a dispute.',
    members: { id: ['dp_1', 'the dispute'], to: ['won', 'won, lost, and the other states of the processor'] },
  },
  verification: {
    does: 'Moves the verification of an identity.',
    members: { id: ['vs_1', 'the session'], to: ['verified', 'verified, requires_input, canceled, processing'] },
  },
  account: {
    does: 'Moves a payout account.',
    members: {
      id: ['acct_1', 'the account'],
      to: ['ready', 'ready, moved (to another bank account), bankless, restricted, untransferable, deauthorized'],
    },
  },
  payout: {
    does: 'Moves a payout from an account to its bank.',
    members: {
      id: ['po_1', 'the payout at the processor'],
      to: ['paid', 'in_transit, paid, failed, canceled, reversed'],
    },
  },
  transfer: {
    does: 'Reverses a transfer to an account.',
    members: { id: ['tr_1', 'the transfer'], 'amount?': [5_000, 'a part of it; the whole without it'] },
  },
  debit: {
    does: 'Takes money from the balance of an account.',
    members: { id: ['acct_1', 'the account'], amount: [5_000, 'how much'], currency: ['usd', 'its currency'] },
  },
  arrival: {
    does: 'Lets money that is on its way arrive at an account.',
    members: { id: ['py_1', '`destination_payment` of the transfer'] },
  },
  'forget-keys': { does: 'Forgets the idempotency keys of all requests.', members: {} },
  settings: {
    does: 'Changes settings.',
    members: {
      'refundStatus?': ['pending', 'the state in which a refund begins'],
      'country?': ['US', 'of the platform'],
      'available?': [100_000, 'what the platform may transfer; null: enough'],
      'settles?': ['usd', 'the one currency of its balance; null: each has one'],
      'leastPayout?': [1, 'the bank gets no less'],
    },
  },
  notifications: {
    does: 'Changes how notifications travel.',
    members: {
      'lose?': [0.1, 'the share that is lost'],
      'repeat?': [1, 'how many further copies are sent'],
      'shuffleMs?': [500, 'the longest delay of each'],
      'hold?': [true, 'none is sent until it is false'],
    },
  },
  events: { reads: true, does: 'Lists the events that were made.', members: {} },
} as const satisfies Record<string, ControlCall>;
