/** Who is calling, once the credentials have been checked. `owner` names the tenant in every query. */
export type Principal = Nobody | Partner;

/** The caller of an open operation; owns nothing. */
export type Nobody = { kind: 'nobody'; owner: '' };
export type Partner = { kind: 'partner'; owner: string };
