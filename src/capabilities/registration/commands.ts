import { sql } from 'slonik';
import { z } from 'zod';
import type { PaymentMade } from '../../adapters/registrar/types.ts';
import type { Db } from '../../db/pool.ts';
import { type IntentId, idSchema } from '../../kernel/ids.ts';
import { listPurchases } from './queries.ts';
import { nonceOf } from './rules.ts';
import type { PurchasePayload } from './schema.ts';

const lostRow = z.object({ tx_hash: z.string(), payer: idSchema.wallet, units: z.string(), is_known: z.boolean() });

/**
 * What `keepLostPayments` found: purchases that were paid after the backup, and payments without a purchase here. `is_known`: their payer
 * is a payer or a wallet of this service.
 */
type Found = { adopted: readonly { id: IntentId; tx_hash: string }[]; lost: readonly z.infer<typeof lostRow>[] };

/**
 * Compares payments on chain with the purchases of a restored database. A purchase that it shows as unsent gets its payment as what was
 * sent. A payment without a purchase is kept: its payer's next purchase is rejected until an operator releases it. Repeatable.
 */
export async function keepLostPayments(db: Db, made: readonly PaymentMade[]): Promise<Found> {
  const purchases = new Map((await listPurchases(db)).map((id) => [nonceOf(id), id]));
  const lost = await keepLost(
    db,
    made.filter(({ nonce }) => !purchases.has(nonce)),
  );
  const adopted = [];
  for (const payment of made) {
    const id = purchases.get(payment.nonce);
    if (id !== undefined && (await adopt(db, id, payment))) adopted.push({ id, tx_hash: payment.txHash });
  }
  return { adopted, lost };
}

const keepLost = (db: Db, made: readonly PaymentMade[]) =>
  db.any(sql.type(lostRow)`
    insert into lost_registrations as l (tx_hash, payer, payee, units)
    select m."txHash", m.payer, min(m.payee), sum(m.units)
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as m ("txHash" text, payer text, payee text, units numeric)
    group by m."txHash", m.payer
    on conflict (tx_hash, payer) do update
    set found_at = now()
    returning l.tx_hash, l.payer, l.units::text as units,
      exists (select from registrations r where r.payer = l.payer)
        or exists (select from enrollments e where e.ex_wallet = l.payer) as is_known`);

/** What the chain shows of a payment, as what was sent: enough to find it there. Its authorization is over: it is used. */
const payloadOf = ({ payer, payee, units, nonce, block }: PaymentMade): PurchasePayload => ({
  authorization: { from: payer, to: payee, value: units, validAfter: '0', validBefore: '0', nonce },
  header: '',
  body: '',
  proofs: [],
  since_block: block,
});

async function adopt(db: Db, id: IntentId, made: PaymentMade): Promise<boolean> {
  const adopted = await db.maybeOne(sql.type(z.object({ id: idSchema.intent }))`
    update intents
    set sent_payload = ${JSON.stringify(payloadOf(made))}::jsonb
    where id = ${id} and presumed_sent_at is not null and sending_at is null and settled_at is null
    returning id`);
  return adopted !== null;
}
