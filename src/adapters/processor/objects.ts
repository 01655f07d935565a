import { z } from 'zod';
import type { AccountSeen, ChargeSeen, PaymentSeen, PayoutSeen, VerificationSeen } from './types.ts';

const MOST_CENTS = 2_147_483_647; // above every amount that the processor accepts, and what a column holds

const id = z.string().regex(/^[\w-]{1,255}$/);
const cents = z.int().min(0).max(MOST_CENTS);
const code = z.string().max(255).nullish();
/** A reference, which the processor writes as an id or, expanded, as the object. */
const reference = z.union([id, z.object({ id })]).transform((value) => (typeof value === 'string' ? value : value.id));

/** The member of an object's metadata. Metadata of other software may be anything. */
const metadata = (name: string) => z.unknown().transform((value) => id.safeParse(Object(value)[name]).data ?? null); // reads a member of any value

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
    currency: z.string().regex(/^[a-z]{3}$/),
    last_payment_error: z.object({ code, decline_code: code }).nullish(),
  })
  .transform(
    (object): PaymentSeen => ({
      processorId: object.id,
      paymentId: object.metadata,
      clientSecret: object.client_secret ?? null,
      status: object.status,
      receivedCents: object.amount_received,
      currency: object.currency,
      failure: object.last_payment_error?.decline_code ?? object.last_payment_error?.code ?? null,
    }),
  );

const charge = z.object({ payment_intent: reference.nullable(), amount_refunded: cents }).transform(
  (object): ChargeSeen => ({
    processorId: object.payment_intent,
    refundedCents: object.amount_refunded,
    disputed: false,
  }),
);

const dispute = z
  .object({ payment_intent: reference.nullable() })
  .transform((object): ChargeSeen => ({ processorId: object.payment_intent, refundedCents: 0, disputed: true }));

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
    const banks = (object.external_accounts?.data ?? []).map((each) => bank.safeParse(each).data);
    const first = banks.find((each) => each !== undefined);
    return {
      accountId: object.id,
      payoutsEnabled: object.payouts_enabled,
      chargesEnabled: object.charges_enabled,
      detailsSubmitted: object.details_submitted,
      country: object.country ?? null,
      bankName: first?.bank_name ?? null,
      last4: first?.last4 ?? null,
    };
  });

const payout = z.object({ metadata: metadata('payout_id'), status: z.string().max(64), failure_code: code }).transform(
  (object): PayoutSeen => ({
    payoutId: object.metadata,
    status: object.status,
    failure: object.failure_code ?? null,
  }),
);

const reversal = z
  .object({ destination: reference.nullable(), metadata: metadata('payout_id') })
  .transform((object) => ({
    accountId: object.destination,
    payoutId: object.metadata,
    status: 'reversed',
    failure: 'transfer_reversed',
  }));

const reading =
  <Seen>(schema: z.ZodType<Seen>) =>
  (object: unknown): Seen | null =>
    schema.safeParse(object).data ?? null;

/** Reads a payment intent. Like every reader here: null if a member that the service needs is missing or impossible. */
export const readPayment = reading(payment);
/** Reads a charge: how much of it was refunded in total. */
export const readCharge = reading(charge);
/** Reads a dispute. */
export const readDispute = reading(dispute);
/** Reads a verification session. */
export const readVerification = reading(verification);
/** Reads a connected account. Of its bank account it takes only the bank's name and the last digits. */
export const readAccount = reading(account);
/** Reads a payout. */
export const readPayout = reading(payout);
/** Reads a reversed transfer. */
export const readReversal = reading(reversal);
