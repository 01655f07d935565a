import { expect } from 'chai';
import type { Caller, Reply } from './caller.ts';
import { expectProblem } from './problem.ts';
import type { TestService } from './service.ts';

/** Settings that abort calls to a hanging upstream soon. */
export const SHORT_TIMEOUTS = { VENUE_READ_MS: '600' };

/** Longer than the cache time of reads that are cached for 1 s. */
export const STALE_MS = 1_100;

/** A partner with one registered subaccount that is linked to a wallet; Trader-ID is the wallet. */
export async function linkedWallet(
  service: TestService,
): Promise<Caller & { owner: string; wallet: string; traderId: string }> {
  const trader = await service.wallet();
  const reply = await trader.post('/v1/register/netvenue', { ex_address: trader.wallet, account_size: 10_000 });
  expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
  return { ...trader, traderId: String(reply.body.subaccount.subaccount_id) };
}

/** Changes a subaccount by hand at the network. */
export async function move({ miner }: TestService, traderId: string, to: object): Promise<void> {
  const body = JSON.stringify({ subaccount_id: Number(traderId), ...to });
  const reply = await fetch(`${miner.controlUrl}/subaccount`, { method: 'POST', body });
  if (!reply.ok) throw new Error(await reply.text());
}

/** Records the calls to an upstream from now on, `METHOD /path` each, until `stop`. */
export function countCalls({ faults }: TestService['miner'] | TestService['exchange']) {
  const calls: string[] = [];
  const next = faults.next;
  faults.next = (call) => {
    calls.push(call);
    return next(call);
  };
  return {
    calls,
    stop: () => {
      faults.next = next;
    },
  };
}

/** Expects a retryable error because a venue cannot be read. */
export const expectUnreadable = (reply: Reply): void => expectProblem(reply, 'VENUE_UNREADABLE', { retryable: true });
