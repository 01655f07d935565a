import { readFileSync } from 'node:fs';
import type { Signed } from '../agreements/rules.ts';
import { verifyAgreements } from '../agreements/verify.ts';
import { onDatabase } from './database.ts';

/*
 * Verifies the chains of agreement signatures and prints every row with a fault; exits with 1 if there is one.
 * Compares the chains with receipts that apps stored, in the form GET /v2/agreements/audits returned them:
 *   npm run agreements:verify -- receipts.json
 */
const file = process.argv[2];
const receipts: Signed[] = file ? JSON.parse(readFileSync(file, 'utf8')) : [];

const { chains, rows, faults } = await onDatabase((db) => verifyAgreements(db, receipts));
for (const { app, place, id, what } of faults)
  process.stdout.write(`${app} place ${place} ${id ?? '(no row)'}: ${what}\n`);
process.stdout.write(`${rows} signatures in ${chains} chains, ${receipts.length} receipts: ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
