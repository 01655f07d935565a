/** Whether requests may go to an address a partner gave, and why not. `unresolved`: its name has no address just now. */
export type Judged =
  | { kind: 'allowed'; target: Target }
  | { kind: 'forbidden'; why: Forbidden }
  | { kind: 'unresolved' };

/** Why an address is refused, as a stable word. */
export type Forbidden = 'malformed' | 'scheme' | 'userinfo' | 'special_address';

/** A checked address: connections go to `addresses`, literally, and never to the name again. */
export type Target = { url: URL; addresses: string[] };

/** Finds the addresses of a name. Rejects, or answers none, where there are none to be had. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** What one attempt sends. `body` goes out byte for byte; every secret signs it. */
export type Outgoing = { deliveryId: string; eventType: string; url: string; body: string; secrets: string[] };

/** Why an attempt brought no answer, as a stable word. */
export type SendFault = 'address_forbidden' | 'dns' | 'connect' | 'tls' | 'timeout' | 'malformed' | 'reset';

/** What came of an attempt: a status with the first 2 KiB said, or a fault. */
export type Sent =
  | { kind: 'answered'; status: number; answer: string; retryAfterS: number | null; durationMs: number }
  | { kind: 'fault'; fault: SendFault; durationMs: number };

/** Speaks to the addresses partners gave. Never throws for a fault of the network, never follows a redirect. */
export type Webhooks = {
  /** Looks an address up and checks it, sending nothing. */
  judge(url: string): Promise<Judged>;
  /** Makes one attempt: signed now, to an address checked now, over within ten seconds. */
  send(outgoing: Outgoing): Promise<Sent>;
  /** Ends the connections kept for later. */
  close(): void;
};
