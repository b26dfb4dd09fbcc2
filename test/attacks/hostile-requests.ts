import { gzipSync } from 'node:zlib';

/** A hostile request as bytes on the wire, and the statuses that are right for it. */
export type HostileRequest = { readonly title: string; readonly bytes: Buffer; readonly statuses: readonly number[] };

const document = '/v1/documents/doc_01M7WKVMFEE008WANFAS9XRDZX';
const host = '127.0.0.1';

type RequestParts = {
  readonly method?: string;
  readonly path?: string;
  readonly lines?: readonly string[];
  readonly body?: string | Buffer;
};

function bytesOf(token: string, { method = 'GET', path = document, lines = [], body = '' }: RequestParts): Buffer {
  const payload = Buffer.from(body);
  const all = [
    `${method} ${path} HTTP/1.1`,
    ...(lines.some((line) => /^host:/i.test(line)) ? [] : [`host: ${host}`]),
    `authorization: Bearer ${token}`,
    'connection: close',
    ...(payload.length === 0 ? [] : [`content-length: ${payload.length}`]),
    ...lines,
  ];
  return Buffer.concat([Buffer.from(`${all.join('\r\n')}\r\n\r\n`, 'latin1'), payload]);
}

/** Paths that different parsers read differently. None of them may reach an operation. */
const hostilePaths: Readonly<Record<string, readonly number[]>> = {
  '/v1/../v1/notifications': [404],
  '/v1/./notifications': [404],
  '//v1/notifications': [404],
  '/v1//notifications': [404],
  '/v1/notifications/': [404],
  '/v1/notifications.': [404],
  '/V1/notifications': [404],
  '/v1%2fnotifications': [404],
  '/v1/notifications%3flimit=5': [404],
  '/v1/notifications;jsessionid=1': [404],
  '/v1/documents/..%2f..%2f..%2fetc%2fpasswd': [404],
  '/v1/documents/%2e%2e%2f%2e%2e%2froot.key': [404],
  '/v1/documents/%252e%252e%252froot.key': [404],
  '/v1/documents/..\\..\\root.key': [404],
  '/v1/documents/%00': [400, 404],
  '/v1/documents/doc%00.pdf': [400, 404],
  '/v1/documents/%ff%fe': [400, 404],
  '/v1/documents/%c0%ae%c0%ae%c0%af': [400, 404],
  '/v1/documents/%ef%bc%8f%ef%bc%8e': [404],
  '/v1/documents/%e2%80%ae': [404],
  '/v1/documents/%zz': [400],
  '/v1/documents/__proto__': [404],
  '/v1/documents/constructor': [404],
  '/v1/documents/a%0d%0aset-cookie:%20x=1': [404],
  "/v1/documents/'%20or%20'1'='1": [404],
  '/v1/documents/${7*7}': [404],
  '/v1/receipts/%20': [404],
  '/v1/notifications?limit=5&limit=6': [400],
  '/v1/notifications?limit[]=5': [400],
  '/v1/notifications?limit=5%00': [400],
  '/v1/notifications?__proto__[a]=1': [400],
  '/v1/notifications?limit=1e9': [400],
  '/v1/notifications?cursor=%F0%9F%92%A9': [400],
  '/.git/config': [404],
  '/.env': [404],
  '/data/root.key': [404],
  '/metrics': [404],
  '/callbacks/../metrics': [404],
};

/** Bodies that parsers read differently, or that cost more to read than to send. */
const hostileBodies: Readonly<Record<string, readonly [string | Buffer, readonly number[]]>> = {
  '64 KiB and one byte': [`{"citizenId":"${'x'.repeat(65_536 - 15)}"}`, [413]],
  '60,000 open brackets': ['['.repeat(60_000), [400]],
  '60,000 brackets, closed': [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, [400]],
  'objects 5,000 deep': [`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, [400]],
  'ten thousand members': [`{${Array.from({ length: 6_000 }, (_, index) => `"m${index}":1`).join(',')}}`, [400]],
  'a member twice': ['{"citizenId":"demo-mary","citizenId":"demo-layla","message":"x"}', [400]],
  'a member twice, once escaped': ['{"citizenId":"demo-mary","citizen\\u0049d":"demo-layla","message":"x"}', [400]],
  __proto__: ['{"__proto__":{"admin":true},"citizenId":"demo-mary","message":"x"}', [400]],
  'a number of 50,000 digits': [`{"citizenId":${'9'.repeat(50_000)},"message":"x"}`, [400]],
  'a number beyond all bounds': ['{"citizenId":1e999,"message":"x"}', [400]],
  'half a surrogate pair': ['{"citizenId":"demo-mary","message":"\\ud800"}', [400]],
  // RFC 8259, section 8.1: a parser may ignore it.
  'a mark of byte order': [Buffer.from('\ufeff{"citizenId":"demo-mary","message":"x"}'), [202]],
  'UTF-16': [Buffer.from('{"citizenId":"demo-mary","message":"x"}', 'utf16le'), [400]],
  'bytes that are no UTF-8': [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), [400]],
  'a NUL after the end': ['{"citizenId":"demo-mary","message":"x"}\0', [400]],
  'two values': ['{"citizenId":"demo-mary","message":"x"}{}', [400]],
  'a comment': ['{"citizenId":"demo-mary",/**/"message":"x"}', [400]],
  'a list': ['[{"citizenId":"demo-mary","message":"x"}]', [400]],
  null: ['null', [400]],
  'lists for texts': ['{"citizenId":["demo-mary"],"message":{"toString":"x"}}', [400]],
  'nothing but blanks': [' '.repeat(60_000), [400]],
};

const validBody = '{"citizenId":"demo-mary","message":"x"}';
const jsonContentType = 'content-type: application/json';

/** Headers that must have no effect. */
const hostileHeaders: Readonly<Record<string, readonly [RequestParts, readonly number[]]>> = {
  'another method in a header': [{ lines: ['x-http-method-override: DELETE', 'x-method-override: DELETE'] }, [404]],
  // The tests attack a demo, which answers only for this machine.
  'another host': [{ lines: ['host: evil.example'] }, [400]],
  'another host from a proxy': [{ lines: ['x-forwarded-host: evil.example', 'forwarded: host=evil.example'] }, [404]],
  'a language with a header in it': [{ lines: ['accept-language: de%0d%0aset-cookie: x=1'] }, [404]],
  'a thousand ranges': [{ lines: [`range: bytes=${'0-0,'.repeat(1_000)}0-0`] }, [400]],
  'a range of letters': [{ lines: ['range: bytes=a-b'] }, [404]],
  'a thousand tags': [{ lines: [`if-none-match: ${'"a",'.repeat(1_000)}"a"`] }, [400]],
  'an Accept of 12 KB': [{ lines: [`accept: ${'a/b;q=0.1,'.repeat(1_200)}*/*`] }, [400]],
  'letters in the date': [{ lines: ['if-modified-since: never', 'if-unmodified-since: \xff\xfe'] }, [404]],
  'a certificate in a header': [{ lines: ['client-cert: :AAAA:', 'x-client-cert: x'] }, [404]],
  'a hundred cookies': [{ lines: [`cookie: ${'a=b; '.repeat(100)}`] }, [404]],
  'a trace that is none': [{ lines: ['traceparent: 00-\xe4-x-zz'] }, [404]],
  'text as JSON': [
    { method: 'POST', path: '/v1/notifications/send', lines: ['content-type: text/plain'], body: validBody },
    [415],
  ],
  'JSON in UTF-16': [
    { method: 'POST', path: '/v1/notifications/send', lines: [`${jsonContentType}; charset=utf-16`], body: validBody },
    [415],
  ],
  'a form as JSON': [
    {
      method: 'POST',
      path: '/v1/notifications/send',
      lines: ['content-type: application/x-www-form-urlencoded'],
      body: 'a=b',
    },
    [415],
  ],
  'a bomb of zeros': [
    {
      method: 'POST',
      path: '/v1/notifications/send',
      lines: [jsonContentType, 'content-encoding: gzip'],
      body: gzipSync(Buffer.alloc(20_000_000)),
    },
    [415],
  ],
  'a key with a line break': [
    {
      method: 'POST',
      path: '/v1/notifications/send',
      lines: [jsonContentType, 'idempotency-key: a\tb'],
      body: validBody,
    },
    [400],
  ],
  'a key of 300 characters': [
    {
      method: 'POST',
      path: '/v1/notifications/send',
      lines: [jsonContentType, `idempotency-key: ${'k'.repeat(300)}`],
      body: validBody,
    },
    [400],
  ],
  'a title with a header in it': [
    {
      method: 'POST',
      path: '/v1/documents',
      body: 'x',
      lines: ['content-type: text/plain', 'citizen-id: demo-mary', 'document-title: a%0d%0ab: \xff'],
    },
    [201, 400, 415],
  ],
};

/** All hostile requests for the holder of the token, to whom none of the requested things belongs. */
export function hostileRequests(token: string): readonly HostileRequest[] {
  const set: HostileRequest[] = [];
  for (const [path, statuses] of Object.entries(hostilePaths))
    set.push({ title: path, bytes: bytesOf(token, { path }), statuses });
  for (const [title, [body, statuses]] of Object.entries(hostileBodies)) {
    const parts = { method: 'POST', path: '/v1/notifications/send', lines: [jsonContentType], body };
    set.push({ title, bytes: bytesOf(token, parts), statuses });
  }
  for (const [title, [parts, statuses]] of Object.entries(hostileHeaders)) {
    set.push({ title, bytes: bytesOf(token, parts), statuses });
  }
  return set;
}
