/** The host of addresses by which this machine reaches a server of its own that listens on `host`. */
export const reachedAt = (host: string): string => {
  if (/^(0\.0\.0\.0|::)?$/.test(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

/** Whether a host, as a URL or setting names it, is this machine. Other spellings of its addresses do not count. */
export const isLoopbackHost = (host: string): boolean => /^(127(\.\d+){3}|\[?::1\]?|localhost)$/i.test(host);
