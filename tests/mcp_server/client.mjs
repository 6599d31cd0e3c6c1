// The official TypeScript client: connects, lists the tools, makes the calls it was given, prints what came as JSON.
// Arguments: the folder node_modules; {"url"} or {"command", "args", "env"}; "auto" or "legacy"; [[tool, arguments], …].
import { pathToFileURL } from "node:url";

const [modules, target, mode, calls] = [process.argv[2], ...process.argv.slice(3).map((text) => JSON.parse(text))];
const part = (name) => import(pathToFileURL(`${modules}/@modelcontextprotocol/client/dist/${name}.mjs`));
const { Client, StreamableHTTPClientTransport } = await part("index");
const { StdioClientTransport } = await part("stdio");

const transport = target.url
  ? new StreamableHTTPClientTransport(new URL(target.url))
  : new StdioClientTransport({ ...target, stderr: "inherit" });
const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
await client.connect(transport);
const { tools } = await client.listTools();
const answers = [];
for (const [name, given] of calls) answers.push(await client.callTool({ name, arguments: given }));
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), answers }));
await client.close();
