import Stripe from 'stripe';
import type { ReadResult, UpstreamResult } from '../../kernel/upstream-result.ts';
import {
  absent,
  accepted,
  found,
  recordedRejection,
  rejected,
  unknownEffect,
  unreachable,
  unreadable,
} from '../../kernel/upstream-result.ts';
import { TransportFault } from './transport.ts';

const rejectedOurKey = rejected('processor_auth', 'The processor rejected the credentials of this service.');

/**
 * Classifies a write at the processor. The processor has no effect before it has accepted the request's format, key and rate. A 403 with
 * `account_invalid` (the connected account has left the platform) or a code of `OF_ONE_ACCOUNT` concerns that account; any other 403 concerns our
 * key. A conflict, a server error or an unreadable response leaves the write in doubt. The same key may be used again; the stored response to its
 * first request is marked by a header, and is the processor's record of that request.
 */
export const responseOf = <Seen, Data>(call: Promise<Seen>, read: Reader<Seen, Data>): Promise<UpstreamResult<Data>> =>
  call.then((seen) => resultOf(read(seen), accepted, unknownEffect), responseOfFault);

/** Classifies a read at the processor. `absent` only if the processor itself reports it: with 404, or with 400 for an unknown `starting_after`. */
export const readResultOf = <Seen, Data>(call: Promise<Seen>, read: Reader<Seen, Data>): Promise<ReadResult<Data>> =>
  call.then((seen) => resultOf(read(seen), found, unreadable), readFault);

/** As `readResultOf`, for a connected account: `absent` also once it has left the platform, because the processor no longer shows it. */
export const readAccountOf = <Seen, Data>(call: Promise<Seen>, read: Reader<Seen, Data>): Promise<ReadResult<Data>> =>
  call.then(
    (seen) => resultOf(read(seen), found, unreadable),
    (error) => (hasLeft(error) ? absent : readFault(error)),
  );

type Reader<Seen, Data> = (seen: Seen) => Data | null;

const resultOf = <Data, Read, Unread>(data: Data | null, ok: (data: Data) => Read, lost: (why: string) => Unread) =>
  data === null ? lost('the response lacks required fields') : ok(data);

function readFault(error: unknown): ReadResult<never> {
  if (isMissing(error)) return absent;
  const response = responseOfFault(error);
  return unreadable(response.kind === 'rejected' ? response.slug : response.why);
}

function responseOfFault(error: unknown): Exclude<UpstreamResult<never>, { kind: 'accepted' }> {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const fault: unknown = error.detail; // typed as string, but stripe-node passes a connection fault on unchanged
  if (fault instanceof TransportFault)
    return fault.code === 'UNSENT' ? unreachable(fault.why) : unknownEffect(fault.why);
  if (hasLeft(error))
    return rejected('account_invalid', 'The payout account does not belong to the platform any more.');
  if (error.statusCode === 429) return unreachable('the processor limits the request rate');
  const decided = [400, 401, 402, 403, 404].includes(error.statusCode ?? 0) && OF_A_REQUEST.has(error.rawType ?? '');
  if (!decided) return unknownEffect(`status ${error.statusCode ?? 'unknown'}`);
  if (error.statusCode === 401 || (error.statusCode === 403 && !OF_ONE_ACCOUNT.has(error.code ?? '')))
    return rejectedOurKey;
  const rejection = rejected(slugOf(error), 'The payment processor rejected the request.');
  return isReplayed(error) ? recordedRejection(rejection) : rejection;
}

/** The types of errors by which the processor rejects a request (docs.stripe.com/api/errors). An error of itself, or of a gateway, decides nothing. */
const OF_A_REQUEST: ReadonlySet<string> = new Set(['card_error', 'invalid_request_error']);

/**
 * Codes of a 403 that concern one connected account, not our key: those of stripe-node's permission errors, and the code of an account that does not
 * grant the platform enough rights (github.com/stripe/stripe-apps/issues/1027).
 */
const OF_ONE_ACCOUNT: ReadonlySet<string> = new Set([
  'capability_not_active',
  'more_permissions_required_for_application',
  'not_allowed_on_standard_account',
  'payouts_not_allowed',
  'transfers_not_allowed',
]);

/** Source: the processor's page on low-level errors, "Idempotent-Replayed: true". */
const isReplayed = ({ headers }: InstanceType<typeof Stripe.errors.StripeError>): boolean =>
  headers?.['idempotent-replayed'] === 'true';

const hasLeft = (error: unknown) =>
  error instanceof Stripe.errors.StripeError && error.statusCode === 403 && error.code === 'account_invalid';

const isMissing = (error: unknown) =>
  error instanceof Stripe.errors.StripeError &&
  error.code === 'resource_missing' &&
  (error.statusCode === 404 || (error.statusCode === 400 && error.param === 'starting_after'));

/** The processor's code if it is an identifier. Its message is never passed on. */
const slugOf = ({ code, rawType }: InstanceType<typeof Stripe.errors.StripeError>): string =>
  [code, rawType].find((name) => typeof name === 'string' && /^[a-z_]{1,64}$/.test(name)) ?? 'rejected_by_processor';
