import type { Handler } from '../../../contract/handler.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { challengeMessage } from '../../../kernel/wallet-proof.ts';
import { epochMs } from '../../../kernel/work.ts';

const CHALLENGE_LIVES_MS = 15 * 60_000;

type Deps = { sealer: Sealer };

/** Handles `POST /v1/register/challenge`: make a text by whose signature a wallet's holder proves control of it. */
export const createWalletChallenge: Handler<'createWalletChallenge', Deps> = async ({ deps, principal, body }) => {
  const expiresAt = new Date(epochMs() + CHALLENGE_LIVES_MS);
  const challenge = { owner: principal.owner, wallet: body.ex_address.toLowerCase(), expiresAt };
  return {
    status: 200,
    body: { message: challengeMessage(challenge, deps.sealer), expires_at: expiresAt.toISOString() },
  };
};
