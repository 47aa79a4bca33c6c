using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Help;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth init</c>: a new store with an operator and its system account.</summary>
internal sealed class InitCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth init ACME
              Creates the folder auth with the operator ACME and the account SYS, which can push accounts to servers.
          broker auth init ACME --strict --expires 5y
              Only signing keys may sign accounts and users, so that the seed of the operator can be kept elsewhere.
          broker auth init ACME --store /etc/broker/auth --seed-file operator.seed
        """;

    private readonly Argument<string> _name = new("name") { Description = "Name of the operator" };
    private readonly Option<string?> _store = AuthCommand.Store();
    private readonly Option<bool> _strict = new("--strict") { Description = "Only signing keys may sign accounts and users; one is made for each" };
    private readonly ExpiryFlag _expiry = new();
    private readonly SeedFlag _seed = new();
    private readonly Option<bool> _json = AuthCommand.Json();

    public Command Build()
    {
        Command command = new Command("init", "Creates a folder with an operator and its system account.").With(_name, _strict);
        _expiry.AddTo(command);
        _seed.AddTo(command);
        command.With(_json, _store);
        HelpWithExamples.Add(command, Examples);
        command.SetAction(flags => AuthCommand.Guard(shell, () => Create(flags)));
        return command;
    }

    private int Create(ParseResult flags)
    {
        string name = Names.Check(flags.GetRequiredValue(_name), "the name of the operator");
        bool isStrict = flags.GetValue(_strict);
        NkeyPair keys = _seed.Read(flags, NkeyKind.Operator);
        using var store = AuthStore.Create(AuthCommand.Folder(shell, flags.GetValue(_store)));
        var run = new AuthRun(shell, store);
        var system = NkeyPair.Generate(NkeyKind.Account);
        JsonObject claims = Token.NewClaims("operator", keys.PublicKey, name);
        JsonObject nats = Token.Inner(claims, "nats");
        _expiry.ApplyTo(claims, flags);
        nats["system_account"] = system.PublicKey;
        run.Keep(keys);
        run.Keep(system);
        if (isStrict)
        {
            var signer = NkeyPair.Generate(NkeyKind.Operator);
            run.Keep(signer);
            nats["signing_keys"] = Token.ArrayOf([signer.PublicKey]);
            nats["strict_signing_key_usage"] = true;
        }

        run.SignOperator(claims, keys);
        JsonObject account = AddAccountCommand.NewClaims(run, AuthRun.SystemAccountName, system.PublicKey);
        Export(Token.Inner(account, "nats"));
        run.SignAccount(account);
        Done.Print(
            shell, flags.GetValue(_json),
            $"created operator {name} {keys.PublicKey} and account {AuthRun.SystemAccountName} {system.PublicKey} in {store.Folder}; keep the seeds in {Path.Combine(store.Folder, "keys")} secret, and a copy of them",
            ("operator", keys.PublicKey), ("system_account", system.PublicKey), ("store", store.Folder));
        return ExitCode.Success;
    }

    // The exports that nsc gives its system account, by which other accounts can import events about themselves.
    private static void Export(JsonObject nats) => nats["exports"] = new JsonArray(
        new JsonObject
        {
            ["name"] = "account-monitoring-streams",
            ["subject"] = "$SYS.ACCOUNT.*.>",
            ["type"] = "stream",
            ["account_token_position"] = 3,
        },
        new JsonObject
        {
            ["name"] = "account-monitoring-services",
            ["subject"] = "$SYS.REQ.ACCOUNT.*.*",
            ["type"] = "service",
            ["response_type"] = "Stream",
            ["account_token_position"] = 4,
        });
}
