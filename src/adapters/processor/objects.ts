import { z } from 'zod';
import { digest } from '../../kernel/ids.ts';

const MOST_CENTS = 2_147_483_647; // above every amount that the processor accepts of a card, and what a column holds

/** An id of the processor's. */
export const id = z.string().regex(/^[\w-]{1,255}$/);
/** An amount in a currency's smallest unit, at a bank or in a balance: of some currencies a payout is billions. */
export const amount = z.int();
/** An amount in a currency's smallest unit, as cards and transfers have it. */
export const cents = z.int().min(0).max(MOST_CENTS);
/** The code of a currency. */
export const currency = z.string().regex(/^[a-z]{3}$/);
/** A member that may be missing or null: null then. */
export const orNull = <Form extends z.ZodType>(form: Form) => form.nullish().transform((value) => value ?? null);
/** A code, or nothing. */
export const code = orNull(z.string().max(255));
/** A time of the processor, in seconds since 1970: as epoch ms. */
export const time = z
  .int()
  .min(0)
  .max(99_999_999_999)
  .transform((seconds) => seconds * 1000);
/** A reference, which the processor writes as an id or, expanded, as the object. */
export const reference = z
  .union([id, z.object({ id })])
  .transform((value) => (typeof value === 'string' ? value : value.id));

/** The member of an object's metadata. Metadata of other software may be anything. */
export const metadata = (name: string) =>
  z.unknown().transform((value) => id.safeParse(Object(value)[name]).data ?? null); // reads a member of any value

/**
 * The reader of what a write made, whose metadata has this value: every write sends it. Null if another write made it, or nothing says which: a
 * payment or account of somebody else, or a transfer that would later be taken back in place of the own one.
 */
export const madeBy =
  <Seen>(name: string, value: string, read: (object: unknown) => Seen | null) =>
  (object: unknown): Seen | null =>
    metadata(name).parse(Object(object).metadata) === value ? read(object) : null;

/** The reader of what a person goes on with in a browser. Null where it waits for the person and lacks what it is opened with. */
export const opened =
  <Opened extends { status: string }>(read: (object: unknown) => Opened | null, ...names: (keyof Opened)[]) =>
  (object: unknown): Opened | null => {
    const seen = read(object);
    const isOpenable = seen && (!seen.status.startsWith('requires_') || names.every((name) => seen[name] !== null));
    return isOpenable ? seen : null;
  };

type Members = Record<string, readonly [name: string, form: z.ZodType]>;
/** What is read of such an object. */
export type Seen<Of extends Members> = { [Member in keyof Of]: z.output<Of[Member][1]> };

/** An object of the processor: each member by the service's name, with the processor's name and the form of its value. */
export function seen<Of extends Members>(members: Of): z.ZodType<Seen<Of>> {
  const named = Object.entries(members);
  return z.preprocess(
    (object) => Object.fromEntries(named.map(([ours, [theirs]]) => [ours, Object(object)[theirs]])), // reads members of any value
    z.object(Object.fromEntries(named.map(([ours, [, form]]) => [ours, form]))),
  ) as z.ZodType<Seen<Of>>; // as: its members are those of `members`
}

/** A reader of the objects that a schema describes: null if a member that the service needs is missing or impossible. */
export const reading =
  <Seen>(schema: z.ZodType<Seen>) =>
  (object: unknown): Seen | null =>
    schema.safeParse(object).data ?? null;

/** A reader of the objects that have these members. */
const readerOf = <Of extends Members>(members: Of) => reading(seen(members));

/** Reads the platform's own account. */
export const readOwnAccount = readerOf({ id: ['id', id] });

/** Reads a payment intent. Amounts are in the currency's smallest unit. */
export const readPayment = readerOf({
  processorId: ['id', id],
  /** The payment's id in this service, from the payment intent's metadata. */
  paymentId: ['metadata', metadata('payment_id')],
  clientSecret: ['client_secret', orNull(z.string())],
  status: [
    'status',
    z.enum([
      'requires_payment_method',
      'requires_confirmation',
      'requires_action',
      'processing',
      'requires_capture',
      'succeeded',
      'canceled',
    ]),
  ],
  receivedCents: ['amount_received', cents],
  currency: ['currency', currency],
  /** When its charge was made, by the processor's clock, where that is shown. */
  paidAtMs: [
    'latest_charge',
    z.unknown().transform((charge) => z.object({ created: time }).safeParse(charge).data?.created ?? null),
  ],
  /** The processor's code for the last failed attempt. */
  failure: [
    'last_payment_error',
    orNull(z.object({ code, decline_code: code })).transform((error) => error?.decline_code ?? error?.code ?? null),
  ],
});

/** Reads an early fraud warning of a payment. `isActionable`: the processor advises to refund it. */
export const readWarning = readerOf({
  processorId: ['payment_intent', orNull(reference)],
  isActionable: ['actionable', z.boolean()],
});

/** Reads a verification session. `url` and `clientSecret` are set while the user can still continue it. */
export const readVerification = readerOf({
  sessionId: ['id', id],
  status: ['status', z.enum(['requires_input', 'processing', 'verified', 'canceled'])],
  failure: ['last_error', orNull(z.object({ code })).transform((error) => error?.code ?? null)],
  url: ['url', orNull(z.url()).catch(null)],
  clientSecret: ['client_secret', orNull(z.string())],
});

const bank = z.object({ object: z.literal('bank_account'), bank_name: code, last4: code });

/** A bank account or card. It has one fingerprint, however often it is attached (docs.stripe.com/api/external_account_bank_accounts/object). */
const external = z.object({ fingerprint: code, id: code });

/** What money that leaves an account can go to: the digest of all of it, whatever it is called. Null: nothing is attached. */
function destinationOf(attached: unknown[]): string | null {
  if (attached.length === 0) return null;
  const names = attached.map((each) => {
    const { data } = external.safeParse(each);
    return data?.fingerprint ?? data?.id ?? JSON.stringify(each);
  });
  return digest(names.sort().join(' ')).toString('hex');
}

/** Reads a connected account, which receives payouts. Of its bank account it has only the bank's name and the last digits. */
export const readAccount = reading(
  seen({
    accountId: ['id', id],
    payoutsEnabled: ['payouts_enabled', z.boolean()],
    /**
     * Whether the platform may transfer money to it (docs.stripe.com/connect/account-capabilities#transfers). Payouts to its bank are a separate
     * capability.
     */
    transfersEnabled: [
      'capabilities',
      orNull(z.object({ transfers: orNull(z.string()) })).transform(
        (held) => (held?.transfers ?? 'active') === 'active',
      ),
    ],
    chargesEnabled: ['charges_enabled', z.boolean()],
    detailsSubmitted: ['details_submitted', z.boolean()],
    country: ['country', orNull(z.string().max(2))],
    attached: ['external_accounts', orNull(z.object({ data: z.array(z.unknown()) }))],
  }).transform(({ attached, ...object }) => {
    const external = attached?.data ?? [];
    const first = external.map((each) => bank.safeParse(each).data).find((each) => each !== undefined);
    return {
      ...object,
      bankName: first?.bank_name ?? null,
      last4: first?.last4 ?? null,
      /** Identifies what its money goes to, more exactly than the two members above. Null: nothing is attached. */
      destination: destinationOf(external),
    };
  }),
);

/**
 * Reads a payout from a connected account to its bank. `reversedBy`: the payout that takes it back from the bank. The amount
 * of that one is negative, and `originalId` is the payout that it takes back.
 */
export const readPayout = readerOf({
  processorPayoutId: ['id', id],
  reversedBy: ['reversed_by', orNull(reference)],
  originalId: ['original_payout', orNull(reference)],
  status: ['status', z.string().max(64)],
  failure: ['failure_code', code],
  amountCents: ['amount', amount],
  currency: ['currency', currency],
});

/** Reads a transfer to a connected account. `reversedCents` is cumulative. */
export const readTransfer = readerOf({
  accountId: ['destination', reference.nullable()],
  transferId: ['id', id],
  reversedCents: ['amount_reversed', cents],
  currency: ['currency', currency],
});

/** A transfer, a payout or a reversal that was made. `arrivalId`: of a transfer, the payment that the account received by it. */
export const movement = {
  id: ['id', id],
  arrivalId: ['destination_payment', orNull(reference)],
  madeAtMs: ['created', orNull(time)],
} as const;

/** Reads an onboarding link. */
export const readLink = reading(z.object({ url: z.url() }));
