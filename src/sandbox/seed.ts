import { randomBytes } from 'node:crypto';
import { createApp, updateApp } from '../capabilities/admin/apps/commands.ts';
import { createAdmin } from '../capabilities/admin/commands.ts';
import { hasAdmins } from '../capabilities/admin/queries.ts';
import { createPartner } from '../capabilities/partners/commands.ts';
import { hasPartners } from '../capabilities/partners/queries.ts';
import { saveTier } from '../capabilities/payments/commands.ts';
import { hasTiers } from '../capabilities/payments/queries.ts';
import type { Db } from '../db/pool.ts';
import { ORDINARY_SCOPES } from '../kernel/principal.ts';
import type { Sealer } from '../kernel/seal.ts';
import { sandboxTiers } from './tiers.ts';

/** Where pages of the processor lead people back to: a program of one's own is not known yet. */
const HOME = 'https://app.example';
const OPERATOR = 'operator@sandbox.invalid';
const ACTOR = { adminId: null, address: 'sandbox', requestId: 'first start' };

/**
 * At the first start, creates a partner, an app and an operator. Returns lines for the console, with secrets shown only
 * once.
 */
export async function seed(db: Db, sealer: Sealer): Promise<string[]> {
  await seedTiers(db);
  return [...(await seedPartner(db)), ...(await seedAppAndOperator(db, sealer))];
}

async function seedTiers(db: Db): Promise<void> {
  if (await hasTiers(db)) return;
  for (const tier of sandboxTiers) await saveTier(db, tier);
}

async function seedPartner(db: Db): Promise<string[]> {
  if (await hasPartners(db)) {
    return ['  partner key               printed at the first start; more: npm run ops -- partner:create'];
  }
  return [`  partner key (shown once)  ${(await createPartner(db, 'Demo partner')).key}`];
}

async function seedAppAndOperator(db: Db, sealer: Sealer): Promise<string[]> {
  if (await hasAdmins(db))
    return ['  app and operator          printed at the first start; more: npm run ops -- admin:create'];
  const password = randomBytes(15).toString('base64url');
  await createAdmin(db, OPERATOR, password, 'admin');
  const demo = { slug: 'demo', name: 'Demo app', contactEmail: null, entityHotkey: null, networkApiKey: null };
  const app = await createApp(db, sealer, { ...demo, scopes: ORDINARY_SCOPES }, ACTOR);
  const urls = { connect_return_url: `${HOME}/back`, connect_refresh_url: `${HOME}/again` };
  await updateApp({ db, sealer }, app.app_id, urls, ACTOR);
  return [
    `  app (shown once)          client_id ${app.app_id}`,
    `                            client_secret ${app.client_secret}`,
    `  operator (shown once)     ${OPERATOR}  ${password}`,
  ];
}
