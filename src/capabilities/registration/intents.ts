import type { Registrar } from '../../adapters/registrar/types.ts';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import { type Accepted, type NewIntent, rejectionBy, type Submission } from '../../intents/accept.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newIntentId, type WalletAddress } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { endEarlierAccount } from './earlier.ts';
import { purchase } from './purchase.ts';
import { purchaseKeySealContext } from './queries.ts';
import type { PurchaseRequest } from './schema.ts';

type Request = components['schemas']['PurchaseRequest'];

/**
 * A purchase in the form `accept_registrations` takes: the members of its row, and the sealed key next to the request.
 */
export type NewRegistration = NewIntent & {
  ex_address: WalletAddress;
  miner_slug: string;
  account_size: number;
  payer: WalletAddress;
  sealed: string;
};

type RequestContext = Submission<NewRegistration> & {
  db: Db;
  registrar: Registrar;
  sealer: Sealer;
  /** How long the registrar may report an earlier account of an address. */
  graceMs: number;
};

/**
 * Submits the purchase of a registration: intent, registration and sealed key in one transaction. Throws
 * V1_KEY_UNUSABLE, and V1_REGISTRATION_UNDER_WAY, V1_ALREADY_REGISTERED or V1_REGISTRATION_UNRECORDED for an address
 * whose earlier registration is open, of an account that lives, or paid but not recorded; V1_REGISTRAR_UNREACHABLE if the
 * registrar does not say whether that account lives.
 */
export async function purchaseRegistration(context: RequestContext, body: Request): Promise<Accepted> {
  const payer = context.registrar.payerOf(body.private_key);
  if (!payer) throw new ApiError('V1_KEY_UNUSABLE', { effect: 'none' });
  const id = newIntentId();
  const request: PurchaseRequest = {
    ex_address: body.ex_wallet.toLowerCase(),
    miner_slug: body.miner_slug,
    account_size: body.account_size,
    payout_address: body.payout_wallet?.toLowerCase() ?? null,
    email: body.email,
  };
  const key = Buffer.from(body.private_key.replace(/^0x/i, ''), 'hex');
  const submission = {
    ...context.context,
    id,
    kind: purchase.kind,
    lane: `registrar:${request.ex_address}`,
    request,
    deadline_s: context.deadlineMs / 1000,
    ex_address: request.ex_address,
    miner_slug: request.miner_slug,
    account_size: request.account_size,
    payer: payer.address,
    sealed: context.sealer.seal(key, purchaseKeySealContext(id)).toString('hex'),
  };
  try {
    return await context.accept(submission, rejectionOf);
  } catch (error) {
    const isRegistered = error instanceof ApiError && error.code === 'V1_ALREADY_REGISTERED';
    if (!isRegistered || !(await endEarlierAccount(context, context.context.owner, request.ex_address))) throw error;
    return context.accept(submission, rejectionOf);
  }
}

const rejectionOf = rejectionBy({
  under_way: 'V1_REGISTRATION_UNDER_WAY',
  registered: 'V1_ALREADY_REGISTERED',
  paid: 'V1_REGISTRATION_UNRECORDED',
});
