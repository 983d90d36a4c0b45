// Starts `lusory lsp` for YAML and card sheets. The server itself answers only for files of a game.
const {commands, window, workspace} = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

let client;

async function start() {
  const command = workspace.getConfiguration("lusory").get("command");
  const selector = ["**/*.yaml", "**/cards/*.csv"].map((pattern) => ({scheme: "file", pattern}));
  const fileEvents = workspace.createFileSystemWatcher("**/*.{yaml,csv}");
  client = new LanguageClient("lusory", "lusory", {command, args: ["lsp"]}, {
    documentSelector: selector,
    synchronize: {fileEvents},
  });
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`lusory does not start: ${error.message}. Install it with the extra lsp, or set lusory.command.`);
  }
}

async function stop() {
  await client?.stop().catch(() => {});
}

async function activate(context) {
  context.subscriptions.push(commands.registerCommand("lusory.restart", async () => {
    await stop();
    await start();
  }));
  await start();
}

module.exports = {activate, deactivate: stop};
