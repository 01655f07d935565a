import type { Event } from '../../src/sandbox/processor/world.ts';

/** What a rule of the model needs of an object of the processor. */
type Thing = Record<string, unknown> & { id: string; status: string; amount: number };
type Loss = { cents: number; isLive: boolean; isInquiry: boolean };

const GIVEN_BACK = ['failed', 'canceled', 'won', 'warning_closed', 'prevented'];

/**
 * The money of one payment and of its account's payouts as the processor itself sees it, from each event that it emits,
 * in order, whether or not the service learns of it; and what operators have accepted of what the service had learned.
 */
export class MoneyModel {
  received = 0;
  readonly losses = new Map<string, Loss>();
  readonly known = new Set<string>();
  readonly accepted = new Set<string>();
  readonly transfers = new Map<string, { cents: number; reversed: number }>();
  readonly bank = new Map<string, string>();
  readonly #covers = new Map<string, string[]>();

  /** The processor emits an event. */
  observe({ id, type, data }: Event): void {
    const object = data.object as Thing; // as: every object of the sandbox that is followed here has these members
    if (type === 'payment_intent.succeeded') this.received = object.amount;
    if (type.startsWith('refund.') || type.startsWith('charge.dispute.')) this.#lose(object);
    if (type === 'transfer.reversed') {
      const transfer = this.transfers.get(object.id);
      if (transfer) transfer.reversed = Number(object.amount_reversed);
    }
    if (type.startsWith('payout.')) this.#bank(type, object);
    this.#covers.set(id, type === 'charge.refunded' ? [...this.losses.keys()] : [object.id]);
  }

  /** A payout that another one takes back from the bank is reversed once that one is paid. */
  #bank(type: string, { id, status, original_payout: original }: Thing): void {
    if (original === null) this.bank.set(id, status);
    else if (type === 'payout.paid') this.bank.set(String(original), 'reversed');
  }

  #lose({ id, amount, status }: Thing): void {
    const isLive = !GIVEN_BACK.includes(status);
    this.losses.set(id, { cents: amount, isLive, isInquiry: status.startsWith('warning') });
    if (!isLive) this.accepted.delete(id);
  }

  /** The service learns of an event: of a charge's refunds, of all that were made before. */
  learn(eventId: string): void {
    for (const id of this.#covers.get(eventId) ?? []) this.known.add(id);
  }

  /** An operator reinstates the account: in spite of every loss that the service knows. */
  reinstate(): void {
    for (const [id, { isLive }] of this.losses) if (isLive && this.known.has(id)) this.accepted.add(id);
  }

  get lost(): number {
    return [...this.losses.values()].reduce((total, { cents, isLive }) => total + (isLive ? cents : 0), 0);
  }
  /** What is kept: an inquiry withdraws nothing. */
  get held(): number {
    return [...this.losses.values()].reduce(
      (held, { cents, isLive, isInquiry }) => held - (isLive && !isInquiry ? cents : 0),
      this.received,
    );
  }
  /** Whether an account may trade: every loss is accepted. */
  get mayTrade(): boolean {
    return this.received > 0 && [...this.losses].every(([id, { isLive }]) => !isLive || this.accepted.has(id));
  }
  get paidOut(): number {
    return [...this.transfers.values()].reduce((total, { cents, reversed }) => total + cents - reversed, 0);
  }
}
