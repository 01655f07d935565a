import { readFileSync } from 'node:fs';
import type { Signed } from '../src/agreements/rules.ts';
import { verifyAgreements } from '../src/agreements/verify.ts';
import { onDatabase } from './support/database.ts';

/*
 * Walks the chains of agreement signatures and names every row that was tampered with; exits with 1 where there is one.
 * Receipts that partners kept, as GET /v2/agreements/audits answered them, are held against the chains:
 *   npm run agreements:verify -- receipts.json
 */
const file = process.argv[2];
const receipts: Signed[] = file ? JSON.parse(readFileSync(file, 'utf8')) : [];

const { chains, rows, faults } = await onDatabase((db) => verifyAgreements(db, receipts));
for (const { app, place, id, what } of faults)
  process.stdout.write(`${app} place ${place} ${id ?? '(no row)'}: ${what}\n`);
process.stdout.write(`${rows} signatures in ${chains} chains, ${receipts.length} receipts: ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
