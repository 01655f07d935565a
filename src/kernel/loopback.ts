/** Whether a host, as a URL or setting names it, is this machine. Other spellings of its addresses do not count. */
export const isLoopbackHost = (host: string): boolean => /^(127(\.\d+){3}|\[?::1\]?|localhost)$/i.test(host);
