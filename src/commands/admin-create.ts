import { createInterface } from 'node:readline/promises';
import { createAdmin, resetAdmin } from '../capabilities/admin/commands.ts';
import { operatorRoles } from '../kernel/operator-roles.ts';
import { isGuessable } from '../kernel/passwords.ts';
import { onDatabase } from './database.ts';
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
const password = await input.question(`Password of ${email} (at least ${SHORTEST} characters): `);
input.close();
if ([...password].length < SHORTEST || isGuessable(password, email.toLowerCase())) {
  process.stderr.write('The password is too short or too easy to guess.\n');
  process.exit(2);
}

const done = await onDatabase(async (db) => {
  if (!isReset) return createAdmin(db, email, password, role);
  return (await resetAdmin(db, email, password, true)) ? 'changed' : null;
});
process.stdout.write(
  done ? `admin  ${email}  ${done}\nLog in and enroll an authenticator.\n` : `Unknown admin ${email}.\n`,
);
