using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth add account</c>.</summary>
internal sealed class AddAccountCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth add account PLANT
          broker auth add account TRIAL --conns 10 --payload 64KB --expires 30d
          broker auth add account STORES --disk-storage 10GB --streams 20
        """;

    private readonly Argument<string> _name = new("name") { Description = "Name of the new account" };
    private readonly AccountFlags _flags = new();
    private readonly SeedFlag _seed = new();
    private readonly Option<bool> _json = AuthCommand.Json();

    public Command Build()
    {
        Command command = new Command("account", "Adds an account. Without a flag, it has no limit, and no streams.").With(_name);
        _flags.AddTo(command);
        _seed.AddTo(command);
        command.With(_json);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Add);
    }

    /// <summary>Creates the claims of an account without limits, with a signing key if its operator is strict.</summary>
    public static JsonObject NewClaims(AuthRun run, string name, string key)
    {
        JsonObject claims = Token.NewClaims("account", key, name);
        JsonObject nats = Token.Inner(claims, "nats");
        LimitFlags.SetNone(Token.Inner(nats, "limits"));
        if (run.Store.IsStrict)
        {
            var signer = NkeyPair.Generate(NkeyKind.Account);
            run.Keep(signer);
            nats["signing_keys"] = Token.ArrayOf([signer.PublicKey]);
        }

        return claims;
    }

    private int Add(AuthRun run, ParseResult flags)
    {
        string name = Names.Check(flags.GetRequiredValue(_name), "the name of the account");
        NkeyPair keys = _seed.Read(flags, NkeyKind.Account);
        if (run.Store.AllAccounts().Find(a => a.Name == name || a.Subject == keys.PublicKey) is { } same)
        {
            throw new AuthException($"there is an account {same.Name} {same.Subject} already; 'broker auth edit account' changes it");
        }

        JsonObject claims = NewClaims(run, name, keys.PublicKey);
        _flags.ApplyTo(claims, flags);
        run.Keep(keys);
        run.SignAccount(claims);
        Done.Print(shell, flags.GetValue(_json), $"created account {name} {keys.PublicKey}", ("name", name), ("account", keys.PublicKey));
        return ExitCode.Success;
    }
}
