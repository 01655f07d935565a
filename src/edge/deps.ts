import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import type { Throttle } from '../db/throttles.ts';
import type { Wait } from '../intents/follow.ts';
import type { Admin, App, Partner, Ticket, Trader, User } from '../kernel/principal.ts';
import type { RequestRecord } from '../kernel/request-records.ts';
import type { Sealer } from '../kernel/seal.ts';
import type { OriginFinder } from './cors.ts';

/** Finds the owner of a credential. Each function resolves to null for a wrong credential. */
export type Authenticators = {
  partners(key: string): Promise<Partner | null>;
  clients(id: string, secret: string): Promise<App | null>;
  apps(token: string): Promise<App | null>;
  users(token: string, app: App): Promise<User | null>;
  traders(key: string): Promise<Trader | null>;
  partnerTickets(ticket: string): Promise<Ticket | null>;
  accountTickets(ticket: string): Promise<Ticket | null>;
  admins(token: string): Promise<Admin | null>;
};

/** A write of an operator that was rejected: who tried what on which object, with the code of the error. */
type Rejection = {
  actor: { adminId: string; address: string; requestId: string };
  action: string;
  subject: string | null;
  why?: string;
  code: string;
};

/** The dependencies of the edge itself. Handlers declare their own in addition. */
export type EdgeDeps = Authenticators & {
  config: Pick<Config, 'TRUSTED_PROXIES' | 'VALIDATE_RESPONSES' | 'PUBLIC_URL' | 'THROTTLE_SCALE' | 'RECOVERY_MODE'>;
  db: Db;
  sealer: Sealer;
  log: Pick<Logger, 'debug' | 'info' | 'error'>;
  metrics: {
    requests: { observe(labels: { operation: string; method: string; status: string }, seconds: number): void };
    errors: { inc(labels: { code: string }): void };
    /** What has ended, by whose it was. */
    ended: { requests: { owner: string; operation: string; hasFailed: boolean }[] };
  };
  /** The origins of pages that may use `/v2/trading`. */
  origins: OriginFinder;
  throttle: Throttle;
  /** Where the requests of this process are appended when they are over. */
  requests: RequestRecord[];
  /** Records an operator's write that was rejected. */
  recordRejection(rejection: Rejection): Promise<void>;
  wait: Wait;
  /** Makes this process read partners and their keys again. Other processes are notified of changes. */
  forgetPartners(): void;
};
