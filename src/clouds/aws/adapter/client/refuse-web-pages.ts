/** A proxy's page instead of an answer: some of them are valid XML, and would be taken for an answer with nothing in it. */

/** The part of an SDK client that is used here. */
interface HasMiddleware {
  readonly middlewareStack: {
    add(
      middleware: (next: Next) => Next,
      where: { readonly step: 'deserialize'; readonly priority: 'low'; readonly name: string },
    ): void;
  };
}

type Next = (args: never) => Promise<{ response: unknown }>;

/** Has the client fail on answers of type text/html, before it looks at them. */
export function refuseWebPages(client: HasMiddleware): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers, statusCode } = result.response as {
        readonly headers: Readonly<Record<string, string>>;
        readonly statusCode: number;
      };
      const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
      if (type?.startsWith('text/html') === true)
        throw Object.assign(new Error('the response is a web page'), {
          name: 'WebPage',
          $metadata: { httpStatusCode: statusCode },
        });
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'refuseWebPages' },
  );
}
