import type { Processor } from '../../adapters/processor/types.ts';
import type { Handler } from '../../contract/handler.ts';
import type { NewIntent, SubmitDeps } from '../../intents/accept.ts';
import { hasSucceeded, pendingHeaders } from '../../intents/follow.ts';
import { submitted } from '../../intents/submitted.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId, PayoutId, UserId } from '../../kernel/ids.ts';
import { listPage } from '../../kernel/pages.ts';
import { provenUserOf, userOf } from '../../kernel/principal.ts';
import { requireValue } from '../../kernel/require.ts';
import type { VenueReads } from '../../venues/reads.ts';
import { findKycCase } from '../kyc/queries.ts';
import { cancelPayout as recordCancellation, requestPayout as recordRequest } from './commands.ts';
import { submitPayout as acceptSubmission } from './intents.ts';
import {
  findAccountOfPayout,
  findConnectAccount,
  findUserPayout,
  listUserPayouts as listPayouts,
  listReservedCents,
} from './queries.ts';
import { earningsOf, getEarningAccounts } from './read-model.ts';

type Deps = SubmitDeps<'acceptIntent', NewIntent, 'CHECKOUT_DEADLINE_MS' | 'PAYOUT_DESTINATION_HOLD_H'> & {
  reads: VenueReads;
  processor: Processor | null;
};

const CURRENCY = 'usd'; // the network settles in dollars

/** Handles `GET /v2/payouts`: list the user's payouts. */
export const listUserPayouts: Handler<'listUserPayouts', Deps> = ({ deps, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const isKnown = async (id: string) => (await findUserPayout(deps.db, owner, userId, id)) !== null;
  return listPage(query, { path: '/v2/payouts', cursorOf: ({ id }) => id, isKnown }, (page) =>
    listPayouts(deps.db, owner, userId, page),
  );
};

/** Handles `GET /v2/payouts/estimate`: estimate what can be paid out. */
export const estimatePayout: Handler<'estimatePayout', Deps> = async ({ deps, principal, header }) => {
  const accounts = await getEarningAccounts(deps.db, userOf(principal), header['X-Prop-Account']);
  const ids = accounts.map(({ id }) => id);
  const [reserved, earned] = await Promise.all([
    listReservedCents(deps.db, ids),
    Promise.all(accounts.map((account) => earningsOf(deps.reads, account))),
  ]);
  // each for itself: what one was paid beyond its corrected earnings is not taken from another's
  const cents = earned.reduce((total, each, n) => total + Math.max(0, each - (reserved[n] ?? 0)), 0);
  return {
    status: 200,
    body: { amount_usd: cents / 100, amount_cents: cents, currency: CURRENCY, available: cents > 0 },
  };
};

/** Handles `POST /v2/payouts/request`: request a payout. */
export const requestPayout: Handler<'requestPayout', Deps> = async ({ deps, principal, body, commit }) => {
  const user = userOf(principal);
  requireValue(deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const verification = await findKycCase(deps.db, user.owner, user.userId);
  if (verification?.status !== 'verified') throw new ApiError('V2_KYC_REQUIRED', { effect: 'none' });
  const target = await findConnectAccount(deps.db, user.owner, user.userId);
  if (target?.status !== 'active') throw new ApiError('V2_PAYOUT_ACCOUNT_NOT_READY', { effect: 'none' });
  const [account, another] = await getEarningAccounts(deps.db, user, body.prop_account_id);
  if (!account || another) throw new ApiError('V2_ACCOUNT_NOT_FUNDED', { effect: 'none' });
  const earnedCents = await earningsOf(deps.reads, account);
  return commit(async (db) => {
    const id = await recordRequest(db, {
      accountId: account.id,
      connectAccountId: target.id,
      amountCents: body.amount_cents,
      currency: CURRENCY,
      earnedCents,
      sessionId: user.sessionId,
    });
    return { status: 200, body: await getUserPayout(db, user, id) };
  });
};

/** Handles `POST /v2/payouts/{payout_id}/submit`: submit a payout. */
export const submitPayout: Handler<'submitPayout', Deps> = async (call) => {
  const user = provenUserOf(call.principal);
  const { db, config } = call.deps;
  requireValue(call.deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const { payout_id: id } = call.path;
  const account = await findAccountOfPayout(db, user.owner, user.userId, id);
  if (account === null) throw new ApiError('V2_PAYOUT_UNKNOWN', { effect: 'none' });
  const [funded] = await getEarningAccounts(db, user, account);
  const earnedCents = funded ? await earningsOf(call.deps.reads, funded) : 0; // not funded: the submission is rejected for that
  const context = { context: call.context, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const payout = { id, earnedCents, holdH: config.PAYOUT_DESTINATION_HOLD_H, sessionId: user.sessionId };
  const { accepted } = await submitted(call, async (tx) => {
    const accepted = await acceptSubmission(tx, context, user.userId, payout);
    const body = await getUserPayout(tx, user, id);
    return { accepted, pending: { status: 202 as const, body, headers: pendingHeaders(`/v2/intents/${accepted.id}`) } };
  });
  const intent = await call.settled(accepted);
  const body = await getUserPayout(db, user, id);
  if (body.status !== 'delayed' && hasSucceeded(intent)) return { status: 200, body };
  return { status: 202, body, headers: pendingHeaders(`/v2/intents/${accepted.id}`, intent) };
};

/** Handles `POST /v2/payouts/{payout_id}/cancel`: cancel a payout of which no money has moved. */
export const cancelPayout: Handler<'cancelPayout', Deps> = async ({ principal, path, commit }) => {
  const user = userOf(principal);
  return commit(async (db) => {
    await recordCancellation(db, user, path.payout_id);
    return { status: 200, body: await getUserPayout(db, user, path.payout_id) };
  });
};

type User = { owner: OwnerId; userId: UserId };

async function getUserPayout(db: Deps['db'], user: User, id: PayoutId) {
  const payout = await findUserPayout(db, user.owner, user.userId, id);
  if (!payout) throw new ApiError('V2_PAYOUT_UNKNOWN');
  return payout;
}
