import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';
import { listOperations } from '../../src/contract/document.ts';
import { authenticate, type SchemeDeps } from '../../src/edge/authenticate.ts';
import type { ApiError } from '../../src/kernel/errors.ts';

export const operations = listOperations();
export const app = { kind: 'app', owner: 'app_1', scopes: ['api'] };
export const admin = { kind: 'admin', owner: '', adminId: 'adm_1', role: 'admin', isEnrolled: true };

/** Authenticators that accept every token but `wrong`, and what they were given. */
export function accepting(principals: Record<string, object> = {}) {
  const given: unknown[][] = [];
  const accept = (name: string, found: object) => async (token: string, more?: unknown) => {
    given.push([name, token, ...(more === undefined ? [] : [more])]);
    return token === 'wrong' ? null : (principals[name] ?? found);
  };
  const deps = {
    config: { PUBLIC_URL: 'https://api.example.com/base' },
    partners: accept('partners', { kind: 'partner', owner: 'ptn_1' }),
    clients: accept('clients', app),
    apps: accept('apps', app),
    users: accept('users', { kind: 'user', owner: 'app_1' }),
    traders: accept('traders', { kind: 'trader', owner: 'app_1' }),
    partnerTickets: accept('partnerTickets', { kind: 'ticket', owner: 'ptn_1' }),
    accountTickets: accept('accountTickets', { kind: 'ticket', owner: 'app_1' }),
    admins: accept('admins', admin),
  } as unknown as SchemeDeps; // as: their principals are incomplete
  return { given, deps };
}

/** What `authenticate` makes of a request to an operation, and what its authenticators were given. */
export async function call(
  id: string,
  headers: IncomingHttpHeaders,
  principals = {},
  { as, query }: { as?: string; query?: ParsedUrlQuery } = {},
) {
  const operation = operations.find((each) => each.id === id);
  if (!operation) throw new Error(`No operation ${id}`);
  const { given, deps } = accepting(principals);
  const method = as ?? operation.method.toUpperCase();
  const found = await authenticate(operation, { method, headers, ...(query && { query }) }, deps).catch(
    (error: ApiError) => error,
  );
  if (!(found instanceof Error)) return { kind: found.kind, given };
  return { code: found.code, challenge: found.details.headers?.['WWW-Authenticate'], message: found.message, given };
}
