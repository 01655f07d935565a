import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { createPartner } from '../../src/capabilities/partners/commands.ts';
import { openPool } from '../../src/db/pool.ts';
import type { NetvenueUpstream } from '../../src/sandbox/network/index.ts';
import { type Caller, caller } from '../support/caller.ts';
import { ENTITY } from '../support/service.ts';

/** An enrolled wallet of the exchange; its address is the Trader-ID. */
export type Wallet = Caller & { wallet: string; privateKey: `0x${string}` };

type Webs = readonly { url: string }[];
type TradersAt = {
  upstream: Pick<NetvenueUpstream, 'addSubaccounts'>;
  rows(text: string, values?: unknown[]): Promise<unknown>;
  webs: Webs;
};

/** Traders of one partner with active subaccounts, written directly. */
export async function makeTraders(
  { upstream, rows, webs }: TradersAt,
  databaseUrl: string,
  count: number,
): Promise<Caller[]> {
  const { partner_id, key } = await makePartner(databaseUrl);
  const ids = upstream.addSubaccounts(count);
  await rows(
    `insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
     select $1 || '_' || id, $1, id, $2, gen_random_uuid(), 'crypto', 10000, 'active'
     from unnest($3::integer[]) id`,
    [ENTITY, partner_id, ids],
  );
  return ids.map((id, n) => caller(urlOf(webs, n), key, { 'Trader-ID': String(id) }));
}

/** Wallets of one partner, each enrolled with its own key over HTTP. */
export async function enrollWallets(webs: Webs, databaseUrl: string, count: number): Promise<Wallet[]> {
  const { key } = await makePartner(databaseUrl);
  return Promise.all(Array.from({ length: count }, (_, n) => enrollWallet(urlOf(webs, n), key)));
}

const urlOf = (webs: Webs, n: number) => (webs[n % webs.length] as { url: string }).url; // there is at least one

const ENROLLED_WITHIN_MS = 60_000;
const AGAIN_MS = 500;

/** Repeats under a key, as callers do who want to: connections may be cut meanwhile, or the primary be gone. */
async function enrollWallet(url: string, key: string): Promise<Wallet> {
  const privateKey = generatePrivateKey();
  const wallet = privateKeyToAddress(privateKey).toLowerCase();
  const trader = caller(url, key, { 'Trader-ID': wallet });
  const until = performance.now() + ENROLLED_WITHIN_MS;
  for (;;) {
    const enrollment = { ex_wallet: wallet, private_key: privateKey };
    const reply = await trader.post('/v1/sessions', enrollment, { key: wallet }).catch((error: Error) => error);
    if (!(reply instanceof Error) && reply.status === 200) return { ...trader, wallet, privateKey };
    const mayRepeat = reply instanceof Error || reply.body.error?.retryable === true;
    if (!mayRepeat || performance.now() > until) throw new Error('Not enrolled', { cause: reply });
    await sleep(AGAIN_MS);
  }
}

async function makePartner(databaseUrl: string) {
  const db = await openPool(databaseUrl, 1, () => {});
  return createPartner(db, 'Chaos').finally(() => db.end());
}
