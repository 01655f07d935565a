import { randomBytes } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import { reinstateAccount } from '../../src/capabilities/accounts/prop/commands.ts';
import { findAnyPropAccount } from '../../src/capabilities/accounts/prop/queries.ts';
import { recordSync } from '../../src/capabilities/accounts/prop/store.ts';
import { provision } from '../../src/capabilities/accounts/provision.ts';
import { takeEvents } from '../../src/capabilities/payments/commands.ts';
import { refund } from '../../src/capabilities/payments/refund.ts';
import { handlePaymentEvent } from '../../src/capabilities/payments/updates.ts';
import { pay } from '../../src/capabilities/payouts/pay.ts';
import { handlePayoutEvent } from '../../src/capabilities/payouts/reports/store.ts';
import { reverse } from '../../src/capabilities/payouts/reverse.ts';
import { submit } from '../../src/capabilities/payouts/submit.ts';
import type { Db } from '../../src/db/pool.ts';
import { runIntent } from '../../src/intents/run.ts';
import { openPauses } from '../../src/kernel/pauses.ts';
import { signature } from '../../src/sandbox/processor/notifier.ts';
import type { Event } from '../../src/sandbox/processor/world.ts';
import type { Netvenue } from '../../src/venues/network/adapter/types.ts';
import { PROCESSOR } from '../support/processor-keys.ts';
import { hindered, ignoreKill, type Mishap, untilAccepted } from './mishaps.ts';
import { arrive, countUnpayable, differencesOf, readArrivals, readBank } from './money-ledger.ts';
import { MoneyModel } from './money-model.ts';
import { config, findAccount, insertBuyer, PRICE, type Stage } from './money-stage.ts';
import { network } from './network.ts';

const FUNDED = {
  ...{ status: 'active', subaccountUuid: 'uuid', bucket: 'PRO_FUNDED', elimination: null },
  overallRule: 'drawdown.eod',
} as const;
const SYNCED = ['provisioning', 'evaluation']; // in the others the comparison changes nothing
const intentRow = z.object({ id: z.string(), kind: z.string() });

/** One payment, its account and its payouts: the service's own functions, and the model beside them. */
export class MoneySystem {
  readonly model = new MoneyModel();
  readonly pending: Event[] = [];
  readonly app = `app_${randomBytes(8).toString('hex')}`;
  readonly payment = `pay_${this.app}`;
  readonly user = `usr_${this.app}`;
  readonly payouts: string[] = [];
  intent = '';
  connected = '';
  rejectsAccounts = false;
  isGone = false;
  readonly ended = new Set<string>();
  #seen: number;
  #recorded: number;
  readonly #stage: Stage;
  readonly country: string;
  readonly currency: string;
  readonly isAbroad: boolean;

  /** `country`: of the trader. `currency`: of the payment. */
  constructor(stage: Stage, { country, currency }: { country: string; currency: string }) {
    this.#stage = stage;
    this.isAbroad = country !== stage.country;
    this.country = country;
    this.currency = currency;
    this.#seen = stage.upstream.events.length;
    this.#recorded = stage.upstream.ledger.entries().length;
  }

  get db(): Db {
    return this.#stage.db;
  }

  async open(): Promise<this> {
    const { adapter, db } = this.#stage;
    const person = { userId: this.user, appId: this.app };
    const payment = { paymentId: this.payment, ...person, amountCents: PRICE, currency: this.currency };
    const [made, account] = await Promise.all([
      untilAccepted((key) => adapter.createPayment(payment, key)),
      untilAccepted((key) => adapter.createAccount({ ...person, country: this.country, isAbroad: this.isAbroad }, key)),
    ]);
    this.intent = made.data.processorId;
    this.connected = account.data.accountId;
    await this.control('account', { id: this.connected });
    await insertBuyer(db, this);
    return this;
  }

  /** Something happens at the processor. An impossible transition changes nothing. */
  async control(what: string, body: object): Promise<void> {
    await fetch(`${this.#stage.upstream.controlUrl}/${what}`, { method: 'POST', body: JSON.stringify(body) });
    this.#watch();
  }

  #watch(): void {
    const { events, ledger } = this.#stage.upstream;
    for (const { kind, detail } of ledger.entries(this.#recorded))
      if (kind === 'transfer' && detail.destination === this.connected)
        this.model.transfers.set(String(detail.id), {
          cents: Number(detail.amount),
          reversed: this.model.transfers.get(String(detail.id))?.reversed ?? 0,
        });
    this.#recorded += ledger.entries(this.#recorded).length;
    for (; this.#seen < events.length; this.#seen += 1) {
      const event = events[this.#seen];
      if (!event || !this.#isOurs(event)) continue;
      this.model.observe(event);
      this.pending.push(event);
    }
  }

  #isOurs({ account, data }: Event): boolean {
    const { id, payment_intent, destination } = Object(data.object);
    return [id, payment_intent].includes(this.intent) || [account, destination].includes(this.connected);
  }

  /** The service is notified of a pending event; `again`: and will be once more. */
  async deliver(index: number, again: boolean): Promise<void> {
    const event = this.pending[index % Math.max(1, this.pending.length)];
    if (!event) return;
    if (!again) this.pending.splice(this.pending.indexOf(event), 1);
    await this.#take([event]);
  }

  /** The notification of what a bank did is lost: only readings find it. */
  lose(index: number): void {
    const at = index % Math.max(1, this.pending.length);
    if (this.pending[at]?.type.startsWith('payout.')) this.pending.splice(at, 1);
  }

  /** The service reads a list of all pending events, newest first or oldest first. */
  async catchUp(newestFirst: boolean): Promise<void> {
    const events = this.pending.splice(0);
    await this.#take(newestFirst ? events.toReversed() : events);
  }

  async #take(events: Event[]): Promise<void> {
    const read = events.map((event) => {
      const body = JSON.stringify(event);
      const seen = this.#stage.adapter.readNotification(body, signature(PROCESSOR.notificationSecret, body));
      if (typeof seen === 'string') throw new Error(`${event.type} is ${seen}`);
      return seen;
    });
    if (read.length === 0) return;
    await takeEvents(this.db, read);
    for (const { id, fact } of read) await this.#handleOne(id, fact.about);
    for (const { id } of events) this.model.learn(id);
  }

  #handleOne(id: string, about: string): Promise<void> {
    const deps = { db: this.db, config, log: { error: () => {} } };
    return about === 'payment' || about === 'charge' ? handlePaymentEvent(id, deps) : handlePayoutEvent(id, deps);
  }

  /** Runs the jobs of every open event of this run: those that were taken up when a row named their object. */
  async #handleTakenUp(): Promise<void> {
    const open = await this.db.any(sql.type(z.object({ id: z.string(), about: z.string() }))`
      select e.id, e.fact ->> 'about' as about
      from processor_events e
      where e.acted_at is null and e.object_id in (
        select ${this.intent}
        union all
        select ${this.connected}
        union all
        select s.processor_id
        from payout_steps s
        join payouts p on p.id = s.payout_id
        where p.user_id = ${this.user}
        union all
        select p.processor_transfer_id
        from payouts p
        where p.user_id = ${this.user}
      )`);
    for (const { id, about } of open) await this.#handleOne(id, about);
  }

  /** A worker runs the job of every open intent of this run once. */
  async work(mishap: Mishap = 'none'): Promise<number> {
    const open = await this.db.any(sql.type(intentRow)`
      select i.id, i.kind from intents i where i.owner = ${this.app} and i.settled_at is null order by i.position`);
    for (const { id, kind } of open) await this.#run(kind, id, mishap).catch(ignoreKill);
    if (open.length === 0) return 0;
    this.#watch();
    await this.#handleTakenUp();
    if (open.some(({ kind }) => kind === 'payments/refund')) {
      const made = await this.db.any(sql.type(z.object({ id: z.string() }))`
        select i.outcome -> 'result' ->> 'refund_id' as id
        from intents i
        where i.owner = ${this.app} and i.kind = 'payments/refund' and i.state = 'succeeded'`);
      for (const refunded of made) this.model.known.add(refunded.id);
    }
    return open.length;
  }

  #run(kind: string, intent_id: string, mishap: Mishap): Promise<void> {
    const late = new Set<Promise<unknown>>();
    const base = { db: this.db, config, stopping: new AbortController().signal, late, pauses: openPauses() };
    const deps = { ...base, processor: hindered(this.#stage.adapter, mishap), venues: { netvenue: network(this) } };
    if (kind === 'payments/refund') return runIntent(refund)({ intent_id }, deps);
    if (kind === 'payouts/submit') return runIntent(submit)({ intent_id }, deps);
    if (kind === 'payouts/pay') return runIntent(pay)({ intent_id }, deps);
    if (kind === 'payouts/reverse') return runIntent(reverse)({ intent_id }, deps);
    const venue = network(this) as unknown as Netvenue; // as: a creation that is not in doubt looks for nothing
    const venues = { entityOf: async () => 'entity', of: async () => venue };
    const log = { error: () => {} };
    const creation = { ...base, log, venues };
    return runIntent(provision)({ intent_id }, creation);
  }

  account = () => findAccount(this.#stage, this.payment);

  /** The network has funded the account, and the service compares. */
  async sync(): Promise<void> {
    const account = await this.account();
    if (!account || !SYNCED.includes(account.status)) return;
    const shown = await findAnyPropAccount(this.db, account.id);
    if (shown?.synthetic_hotkey) await recordSync(this.db, shown, FUNDED);
  }

  /** The sweep reads what transfers and their reversals moved at the payout account. */
  readArrivals = () => readArrivals(this.#stage, this);

  /** Legs that the processor rejected for the balance, although nothing was taken from the account behind them. */
  unpayable = () => countUnpayable(this.#stage, this);

  /** Whether an intent of this run is open. */
  isOpen = () =>
    this.db.exists(sql.type(z.object({}))`select from intents i where i.owner = ${this.app} and i.settled_at is null`);

  /** What is in doubt was sent a day ago: the processor keeps no keys of that time. */
  passDay = () =>
    this.db.query(sql.type(z.object({}))`
      update intents set sending_at = sending_at - interval '24 hours' where owner = ${this.app} and state = 'in_doubt'`);

  /** The sweep reads what banks did with payouts, and the events of their accounts. */
  async readBank(): Promise<void> {
    await readBank(this.#stage, this);
    await this.#handleTakenUp();
  }

  /** What the payout account has received becomes available, and payouts that waited for it go on. */
  arrive = () => arrive(this.#stage, this);

  /** Where the ledger differs from the processor's own records of this run's money. */
  differences = () => differencesOf(this.#stage, this);

  async reinstate(): Promise<void> {
    const account = await this.account();
    if (!account) return;
    await reinstateAccount(this.db, account.id, { operator: 'admin:model', reason: 'so says the model' }).then(
      () => this.model.reinstate(),
      () => {},
    );
  }
}
