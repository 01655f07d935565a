import { readFileSync } from 'node:fs';
import type { Receipt, Signed } from '../capabilities/agreements/rules.ts';
import { verifyAgreements } from '../capabilities/agreements/verify.ts';
import { headKeys } from '../config.ts';
import { headSigner, type PublicKey } from '../kernel/head-keys.ts';
import { onDatabase } from './database.ts';
import { argumentsOf } from './table.ts';

/*
 * Verifies the chains of agreement signatures and prints every row with a fault; exits with 1 if there is one.
 * Compares the chains with a file of receipts or of records in the form that GET /v2/agreements/audits returned. Public
 * keys come from a second file, in the form of /.well-known/agreement-keys.json, or from AGREEMENT_KEYS:
 *   npm run ops -- agreements:verify receipts.json agreement-keys.json
 */
const [receiptsFile, keysFile] = argumentsOf('agreements:verify', { most: 2, options: {} }).positionals;
const receipts: (Signed | Receipt)[] = receiptsFile ? [JSON.parse(readFileSync(receiptsFile, 'utf8'))].flat() : [];

const { chains, rows, faults } = await onDatabase((db) => verifyAgreements(db, receipts, publicKeys()));
for (const { app, place, id, what } of faults)
  process.stdout.write(`${app} place ${place} ${id ?? '(no row)'}: ${what}\n`);
process.stdout.write(`${rows} signatures in ${chains} chains, ${receipts.length} receipts: ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function publicKeys(): Pick<PublicKey, 'kid' | 'x'>[] {
  if (keysFile) return JSON.parse(readFileSync(keysFile, 'utf8')).keys;
  const keys = headKeys();
  return keys ? headSigner(keys).publicKeys : [];
}
