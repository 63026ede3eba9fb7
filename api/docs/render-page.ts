import { html } from 'hono/html';
import { readDocsStyle, readOpenApiDocument } from '#shared/service/contract.ts';
import type { OpenApiDocument } from './build-document.ts';
import type { OperationDocument } from './describe-operation.ts';

const JSON_TYPE = 'application/json';

/** Renders the document as HTML, without scripts. */
export function renderPage({ info, paths, components }: OpenApiDocument) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${info.title} – API</title>
    <link rel="icon" href="/icons/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${readDocsStyle.path}">
  </head>
  <body>
    <h1>${info.title} <small>API ${info.version}</small></h1>
    <p>${info.description} <a href="${readOpenApiDocument.path}">OpenAPI document</a></p>
    ${groups.map(
      (group) => html`<h2>${group}</h2>
      ${operations
        .filter(({ operation }) => operation.tags.includes(group))
        .map(({ path, method, operation }) => renderOperation(path, method, operation))}`,
    )}
    <h2>Schemas</h2>
    ${Object.entries(components.schemas).map(
      // The id is in the content, because browsers open a closed element only for a link to something in it.
      ([name, schema]) => html`<details>
        <summary><code>${name}</code></summary>
        <div id="${name}">${renderSchema(schema)}</div>
      </details>`,
    )}
  </body>
</html>`;
}

function renderOperation(path: string, method: string, operation: OperationDocument) {
  const body = Object.entries(operation.requestBody?.content ?? {});
  return html`<details>
    <summary><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code> ${operation.summary}</summary>
    ${operation.parameters.map(
      ({ name, in: place, description }) =>
        html`<p><code>${name}</code> in the ${place}${description === undefined ? '' : `: ${description}`}</p>`,
    )}
    ${body.map(([type, { schema }]) => html`<h3>Request body: ${type}</h3>${renderSchema(schema)}`)}
    <h3>Responses</h3>
    <table>
      ${Object.entries(operation.responses).map(
        ([status, { description, content = {} }]) => html`<tr>
          <th scope="row">${status}</th>
          <td>${description}</td>
          <td>${Object.entries(content).map(([type, { schema }]) => renderReference(type, schema))}</td>
        </tr>`,
      )}
    </table>
    ${Object.entries(operation.responses).map(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([type, { schema }]) => type === JSON_TYPE && nameOf(schema) === null)
        .map(
          ([type, { schema }]) => html`<h3>Response body of ${status}: ${type}</h3>${renderSchema(schema)}`,
        ),
    )}
  </details>`;
}

function renderReference(type: string, schema: Record<string, unknown>) {
  const name = nameOf(schema);
  return name === null ? html`${type}` : html`<a href="#${name}">${name}</a>`;
}

/** The name of the schema that a `$ref` refers to; null if the schema is written out. */
function nameOf(schema: Record<string, unknown>): string | null {
  return typeof schema.$ref === 'string' ? (schema.$ref.split('/').at(-1) ?? null) : null;
}

function renderSchema(schema: Record<string, unknown>) {
  return html`<pre>${JSON.stringify(schema, null, 2)}</pre>`;
}
