import { z } from 'zod';
import { digest } from '../../kernel/ids.ts';
import type { AccountSeen, Loss, LossSeen, Made, PaymentSeen, VerificationSeen, WarningSeen } from './types.ts';

const MOST_CENTS = 2_147_483_647; // above every amount that the processor accepts of a card, and what a column holds

/** An id of the processor's. */
export const id = z.string().regex(/^[\w-]{1,255}$/);
/** An amount in a currency's smallest unit, at a bank or in a balance: of some currencies a payout is billions. */
export const amount = z.int();
/** An amount in a currency's smallest unit, as cards and transfers have it. */
export const cents = z.int().min(0).max(MOST_CENTS);
/** The code of a currency. */
export const currency = z.string().regex(/^[a-z]{3}$/);
/** A code, or nothing. */
export const code = z.string().max(255).nullish();
/** A time of the processor: seconds since 1970. */
export const seconds = z.int().min(0).max(99_999_999_999);
/** A reference, which the processor writes as an id or, expanded, as the object. */
export const reference = z
  .union([id, z.object({ id })])
  .transform((value) => (typeof value === 'string' ? value : value.id));

/** The member of an object's metadata. Metadata of other software may be anything. */
export const metadata = (name: string) =>
  z.unknown().transform((value) => id.safeParse(Object(value)[name]).data ?? null); // reads a member of any value

const payment = z
  .object({
    id,
    metadata: metadata('payment_id'),
    client_secret: z.string().nullish(),
    status: z.enum([
      'requires_payment_method',
      'requires_confirmation',
      'requires_action',
      'processing',
      'requires_capture',
      'succeeded',
      'canceled',
    ]),
    amount_received: cents,
    currency,
    last_payment_error: z.object({ code, decline_code: code }).nullish(),
    latest_charge: z
      .unknown()
      .optional()
      .transform((value) => z.object({ created: seconds }).safeParse(value).data ?? null),
  })
  .transform(
    (object): PaymentSeen => ({
      processorId: object.id,
      paymentId: object.metadata,
      clientSecret: object.client_secret ?? null,
      status: object.status,
      receivedCents: object.amount_received,
      currency: object.currency,
      paidAtMs: object.latest_charge === null ? null : object.latest_charge.created * 1000,
      failure: object.last_payment_error?.decline_code ?? object.last_payment_error?.code ?? null,
    }),
  );

/** When an object was made. */
export const madeAt = seconds.nullish();

/** The time of an object as the service has it. */
export const madeOf = ({ created }: { created?: number | null | undefined }): Made => ({
  madeAtMs: created == null ? null : created * 1000,
});

/** A sum of some losses must fit a column: the processor accepts no amount of more than eight digits. */
const lossCents = z.int().min(0).max(99_999_999);

const lossObject = z.object({
  id,
  payment_intent: reference.nullish(),
  amount: lossCents,
  currency: currency.optional(),
  status: code,
  created: madeAt,
});

const lossOf =
  (kind: Loss['kind']) =>
  ({ id, payment_intent, amount, currency, status, created }: z.infer<typeof lossObject>): LossSeen => ({
    processorId: payment_intent ?? null,
    loss: { kind, id, cents: amount, currency: currency ?? null, status: status ?? null, ...madeOf({ created }) },
  });

const charge = lossObject
  .omit({ amount: true, status: true })
  .extend({ payment_intent: reference.nullable(), amount_refunded: lossCents })
  .transform(({ amount_refunded: amount, ...object }) => lossOf('charge')({ ...object, amount, status: null }));

/**
 * What is prevented is either blocked, which takes nothing, or resolved by paying the card holder back, which its balance transactions show
 * (docs.stripe.com/changelog/basil/2025-08-27/add-preventions-to-dispute): its money is lost.
 */
const dispute = lossObject
  .extend({ balance_transactions: z.array(z.object({ amount })).nullish() })
  .transform(({ balance_transactions, status, ...object }) => {
    const taken = (balance_transactions ?? []).reduce((left, each) => left - each.amount, 0);
    return lossOf('dispute')({ ...object, status: status === 'prevented' && taken > 0 ? 'lost' : status });
  });

const warning = z
  .object({ payment_intent: reference.nullish(), actionable: z.boolean() })
  .transform(
    (object): WarningSeen => ({ processorId: object.payment_intent ?? null, isActionable: object.actionable }),
  );

const verification = z
  .object({
    id,
    status: z.enum(['requires_input', 'processing', 'verified', 'canceled']),
    last_error: z.object({ code }).nullish(),
    url: z.string().nullish(),
    client_secret: z.string().nullish(),
  })
  .transform(
    (object): VerificationSeen => ({
      sessionId: object.id,
      status: object.status,
      failure: object.last_error?.code ?? null,
      url: object.url ?? null,
      clientSecret: object.client_secret ?? null,
    }),
  );

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

const account = z
  .object({
    id,
    payouts_enabled: z.boolean(),
    charges_enabled: z.boolean(),
    details_submitted: z.boolean(),
    country: z.string().max(2).nullish(),
    external_accounts: z.object({ data: z.array(z.unknown()) }).nullish(),
  })
  .transform((object): AccountSeen => {
    const attached = object.external_accounts?.data ?? [];
    const banks = attached.map((each) => bank.safeParse(each).data);
    const first = banks.find((each) => each !== undefined);
    return {
      accountId: object.id,
      payoutsEnabled: object.payouts_enabled,
      chargesEnabled: object.charges_enabled,
      detailsSubmitted: object.details_submitted,
      country: object.country ?? null,
      bankName: first?.bank_name ?? null,
      last4: first?.last4 ?? null,
      destination: destinationOf(attached),
    };
  });

const link = z.object({ url: z.url() });

/** A reader of the objects that a schema describes. */
export const reading =
  <Seen>(schema: z.ZodType<Seen>) =>
  (object: unknown): Seen | null =>
    schema.safeParse(object).data ?? null;

/** Reads a payment intent. Like every reader here: null if a member that the service needs is missing or impossible. */
export const readPayment = reading(payment);
/** Reads a charge: how much of it was refunded in total. */
export const readCharge = reading(charge);
/** Reads a refund. */
export const readRefund = reading(lossObject.transform(lossOf('refund')));
/** Reads a dispute. */
export const readDispute = reading(dispute);
/** Reads an early fraud warning. */
export const readWarning = reading(warning);
/** Reads a verification session. */
export const readVerification = reading(verification);
/** Reads a connected account. Of its bank account it takes only the bank's name and the last digits. */
export const readAccount = reading(account);
/** Reads an onboarding link. */
export const readLink = reading(link);
