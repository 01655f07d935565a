/**
 * Carries an operator's session. `__Host-` keeps a cookie to this host, to https and to every path (RFC 6265bis,
 * 4.1.3.2).
 */
export const ADMIN_COOKIE_NAME = '__Host-admin_session';
