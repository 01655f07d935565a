/** Whether requests may go to a partner's URL, and if not, why. `unresolved`: the name currently has no IP address. */
export type Judged =
  | { kind: 'allowed'; target: Target }
  | { kind: 'forbidden'; why: Forbidden }
  | { kind: 'unresolved' };

/** Why a URL is forbidden. The codes are stable. */
export type Forbidden = 'malformed' | 'scheme' | 'userinfo' | 'special_address';

/** A checked URL. Connections use `addresses`; the name is not resolved again. */
export type Target = { url: URL; addresses: string[] };

/** Resolves a name to IP addresses. Rejects, or resolves to an empty list, if there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Input of one attempt. `body` is sent byte for byte and signed with every secret. */
export type Outgoing = { deliveryId: string; eventType: string; url: string; body: string; secrets: string[] };

/** Why an attempt got no response. The codes are stable. */
export type SendFault = 'address_forbidden' | 'dns' | 'connect' | 'tls' | 'timeout' | 'malformed' | 'reset';

/** Result of an attempt: a status with the first 2 KiB of the response body, or a fault. */
export type SentRequest =
  | { kind: 'response'; status: number; text: string; retryAfterS: number | null; durationMs: number }
  | { kind: 'fault'; fault: SendFault; durationMs: number };

/** Client for partners' webhook URLs. Never throws for a network fault, never follows a redirect. */
export type Webhooks = {
  /** Resolves and checks a URL. Sends no HTTP request. */
  judge(url: string): Promise<Judged>;
  /** Makes one attempt: signs and checks the address at the time of the call, and ends within 10 seconds. */
  send(outgoing: Outgoing): Promise<SentRequest>;
  /** Closes the keep-alive connections. */
  close(): void;
};
