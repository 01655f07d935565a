/** Internal addresses, one of each special range at least. */
const V4 = [
  '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.100.100.200', '100.127.255.254', '127.0.0.1',
  '127.1.2.3', '127.255.255.254', '168.63.129.16', '169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.254',
  '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.168.0.1',
  '192.168.255.254', '192.175.48.1', '198.18.0.1', '198.19.255.254', '198.51.100.1', '203.0.113.1', '224.0.0.1',
  '239.255.255.255', '240.0.0.1', '255.255.255.255',
]; // biome-ignore format: a table

const V6 = [
  '::', '::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '0::1', '::ffff:0:127.0.0.1',
  '100::1', '2001::1', '2001:0:7f00:1::', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2620:4f:8000::1',
  '3fff::1', '4000::1', '5f00::1', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1',
  'ff0e::1', 'FE80::1', '::FFFF:7F00:1',
]; // biome-ignore format: a table

const TARGETS = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.168.0.1', '172.16.0.1'];

/** Every notation that the platform's URL parser reads as an IPv4 address, and notations that embed one in IPv6. */
function disguises(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (n: number) => n.toString(16);
  const oct = (n: number) => `0${n.toString(8)}`;
  const pair = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
  return [
    `${whole}`,
    `0x${hex(whole)}`,
    `0X${hex(whole).toUpperCase()}`,
    oct(whole),
    [a, b, c, d].map(oct).join('.'),
    [a, b, c, d].map((n) => `0x${hex(n)}`).join('.'),
    `${oct(a)}.0x${hex(b)}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${address}.`,
    address.replaceAll('.', '。'),
    [...address].map((sign) => (sign === '.' ? '．' : String.fromCodePoint(0xff10 + Number(sign)))).join(''),
    [...address].map((sign) => `%${hex(sign.charCodeAt(0))}`).join(''),
    address.replace('.', '\t.'),
    `[::ffff:${address}]`,
    `[::ffff:${pair}]`,
    `[0:0:0:0:0:ffff:${pair}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${pair}]`,
    `[64:ff9b:1::${pair}]`,
    `[2002:${pair}::1]`,
    `[fe80::5efe:${address}]`,
  ];
}

/**
 * DNS responses for a name that leads to an internal address; `null` where a literal must be detected without a query.
 */
export type Form = { url: string; responses?: string[] };

/** URLs on `port` that all lead to an internal address, or contain one. */
export function insideForms(port: number): Form[] {
  const literals = [...V4, ...V6.map((address) => `[${address}]`), ...TARGETS.flatMap(disguises)];
  const named = [...V4, ...V6].map((address, n) => ({
    url: `https://name-${n}.partner.example:${port}/`,
    responses: [address],
  }));
  const mixed = TARGETS.flatMap((address, n) => [
    { url: `https://good-and-bad-${n}.example:${port}/`, responses: ['93.184.216.34', address] },
    { url: `https://bad-and-good-${n}.example:${port}/`, responses: [address, '2606:4700::6810:1'] },
    { url: `https://mapped-${n}.example:${port}/`, responses: ['93.184.216.34', `::ffff:${address}`] },
  ]);
  const local = ['localhost', 'LOCALHOST', 'localhost.', 'app.localhost', 'ⓛocalhost', 'loc%61lhost'];
  return [
    ...[...literals, ...local].map((host) => ({ url: `https://${host}:${port}/hook` })),
    ...named,
    ...mixed,
    ...others(port).map((url) => ({ url, responses: ['93.184.216.34'] })),
  ];
}

/** Other schemes, users before the host, and URLs on which parsers disagree. */
const others = (port: number) => [
  `http://127.0.0.1:${port}/`,
  `http://partner.example:${port}/`,
  `http://[::1]:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `file:///etc/passwd`,
  `gopher://127.0.0.1:${port}/_x`,
  `unix:/var/run/docker.sock`,
  `javascript:alert(1)`,
  `data:text/plain,x`,
  `//127.0.0.1:${port}/`,
  `127.0.0.1:${port}`,
  ``,
  `https://`,
  `https://user@partner.example:${port}/`,
  `https://user:secret@partner.example:${port}/`,
  `https://partner.example@127.0.0.1:${port}/`,
  `https://partner.example:443@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}@partner.example/`,
  `https://partner.example%40127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}#@partner.example/`,
  `https://127.0.0.1:${port}\\@partner.example/`,
  `https:\\\\127.0.0.1:${port}\\`,
  `https:/127.0.0.1:${port}/`,
  `https:127.0.0.1:${port}/`,
  `https:///127.0.0.1:${port}/`,
  ` https://127.0.0.1:${port}/ `,
  `https://127.0.0.1:${port}?.partner.example`,
  `https://[::1%25eth0]:${port}/`,
  `https://1.2.3.4.5:${port}/`,
  `https://256.0.0.1:${port}/`,
];
