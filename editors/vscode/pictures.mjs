// Takes the pictures of docs/design/editors.md: `node pictures.mjs ADDRESS FOLDER`, after `npm install playwright-core`.
// ADDRESS is that of a running code-server with this extension that shows a folder with tests/fixtures/pond.yaml as
// ruleset.yaml. The pictures are written to FOLDER. CHROMIUM is the path of the browser.
import {chromium} from "playwright-core";

const [address, folder] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"]});
const page = await browser.newPage({viewport: {width: 820, height: 460}});
page.setDefaultTimeout(120_000);

async function press(...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

async function goTo(line, column) {
  await press("Escape", "Control+g");
  await page.waitForSelector(".quick-input-widget:not([style*='display: none'])");
  await page.keyboard.type(`${line}:${column}`);
  await press("Enter");
}

async function shoot(name, selector) {
  await page.waitForSelector(selector);
  await page.waitForTimeout(1500);
  await page.screenshot({path: `${folder}/${name}.png`});
}

await page.goto(address);
await page.dblclick(".explorer-folders-view .monaco-list-row[aria-label*='ruleset.yaml']");
await page.waitForSelector(".codelens-decoration"); // the server has answered
await press("Control+b"); // hide the list of files

await goTo(24, 19);
await press("Control+k", "Control+i");
await shoot("hover", ".monaco-hover:not(.hidden)");

await goTo(24, 19);
await press("F2");
await shoot("rename", ".rename-box");
await press("Escape");

await goTo(23, 25);
await page.keyboard.type(" + weal");
await shoot("completion", ".suggest-widget.visible");
await press("Escape");
await page.keyboard.type("ht");
await page.waitForSelector(".squiggly-error");
await press("Control+.");
await shoot("quick-fix", ".action-widget");

await browser.close();
