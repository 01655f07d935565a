import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { note } from '../capabilities/admin/audit/commands.ts';
import { createAdmin, resetAdmin } from '../capabilities/admin/commands.ts';
import { operatorRoles } from '../kernel/operator-roles.ts';
import { isGuessable } from '../kernel/passwords.ts';
import { onDatabase, operatorAtShell } from './database.ts';
import { argumentsOf, exitWithUsage } from './table.ts';

/*
 * Creates an operator. The password is read from standard input, because a command line shows in process lists:
 *   npm run ops -- admin:create operator@example.com [--role support]
 * Without --role an admin, who may do everything.
 * Sets a new password, ends every session and removes the authenticator; the next login enrolls a new one:
 *   npm run ops -- admin:create operator@example.com --reset
 */
const SHORTEST = 12; // characters; operators need longer passwords than users

const {
  positionals: [email],
  values: { role: given, reset: isReset },
} = argumentsOf('admin:create', { most: 1, options: { role: { type: 'string' }, reset: { type: 'boolean' } } });
const role = operatorRoles.find((each) => each === (given ?? 'admin'));
if (!email?.includes('@') || !role || (given && isReset))
  exitWithUsage('admin:create', `Roles: ${operatorRoles.join(', ')}`);

const input = createInterface({ input: process.stdin, output: process.stderr });
const asked = input.question(`Password of ${email} (at least ${SHORTEST} characters): `);
const password = await Promise.race([asked, once(input, 'close').then(() => '')]); // closed: the input has ended
input.close();
if ([...password].length < SHORTEST || isGuessable(password, email.toLowerCase())) {
  process.stderr.write('The password is too short or too easy to guess.\n');
  process.exit(2);
}

const actor = operatorAtShell('admin:create');
const done = await onDatabase((db) =>
  db.transaction(async (tx) => {
    const adminId = isReset
      ? await resetAdmin(tx, email, password, true)
      : await createAdmin(tx, email, password, role).catch(rejectTaken);
    if (adminId === null) throw new Error(`Unknown operator ${email}.`);
    await note(tx, { actor, action: isReset ? 'operator.reset' : 'operator.create' }, adminId);
    return adminId;
  }),
);
process.stdout.write(`admin  ${email}  ${isReset ? 'changed' : done}\nLog in and enroll an authenticator.\n`);

function rejectTaken(error: unknown): never {
  if (!(error instanceof UniqueIntegrityConstraintViolationError)) throw error;
  throw new Error(`There is an operator ${email} already: --reset sets a new password.`);
}
