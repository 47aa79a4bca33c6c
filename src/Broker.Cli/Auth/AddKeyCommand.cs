using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth add key</c>: a signing key of an account or of the operator.</summary>
internal sealed class AddKeyCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth add key --account PLANT
              A key that signs users like the key of the account, and can be revoked with all of them.
          broker auth add key --account PLANT --role sensor --allow-pub 'plant.{{tag(site)}}.>' --deny-sub '>'
              A role: its users may do this and nothing else, whoever has the seed of the key.
          broker auth add key --operator
        """;

    private readonly Option<string?> _account = AuthCommand.Account();
    private readonly Option<bool> _operator = new("--operator") { Description = "Add a key that signs accounts for the operator" };
    private readonly Option<string?> _role = new("--role") { Description = "Name of the role that the key gives to its users, with the flags below", HelpName = "name" };
    private readonly UserFlags _flags = new();
    private readonly SeedFlag _seed = new();
    private readonly Option<bool> _json = AuthCommand.Json();

    public Command Build()
    {
        Command command = new Command("key", "Adds a signing key to an account or to the operator.").With(_account, _operator, _role);
        _flags.AddTo(command);
        _seed.AddTo(command);
        command.With(_json);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Add);
    }

    private int Add(AuthRun run, ParseResult flags)
    {
        bool isOperator = flags.GetValue(_operator);
        string? role = flags.GetValue(_role) is { } named ? Names.Check(named, "--role") : null;
        if (isOperator && (flags.GetValue(_account) ?? role) is not null)
        {
            throw new UsageException("--operator cannot be combined with --account or --role");
        }

        if (role is null && _flags.FirstGiven(flags) is { } flag)
        {
            throw new UsageException($"{flag} needs --role");
        }

        Token owner = isOperator ? run.Store.Operator : run.Account(flags.GetValue(_account));
        NkeyPair keys = _seed.Read(flags, isOperator ? NkeyKind.Operator : NkeyKind.Account);
        if (owner.Subject == keys.PublicKey || owner.SigningKeys().Any(k => k.Key == keys.PublicKey))
        {
            throw new AuthException($"{owner.Kind} {owner.Name} has the key {keys.PublicKey} already");
        }

        if (role is not null && owner.SigningKeys().Any(k => k.Scope is { } other && Token.TextOf(other, "role") == role))
        {
            throw new AuthException($"account {owner.Name} has a role {role} already; 'broker auth edit key' changes it");
        }

        JsonObject claims = owner.CopyClaims();
        JsonObject nats = Token.Inner(claims, "nats");
        if (nats["signing_keys"] is not JsonArray all)
        {
            nats["signing_keys"] = all = [];
        }

        all.Add(role is null ? JsonValue.Create(keys.PublicKey) : Scope(keys.PublicKey, role, flags));
        run.Keep(keys);
        if (isOperator)
        {
            run.SignOperator(claims);
        }
        else
        {
            run.SignAccount(claims);
        }

        Done.Print(
            shell, flags.GetValue(_json), $"added signing key {keys.PublicKey}{(role is null ? "" : $" with the role {role}")} to {owner.Kind} {owner.Name}",
            ("key", keys.PublicKey), ("role", role), (owner.Kind, owner.Subject));
        return ExitCode.Success;
    }

    private JsonObject Scope(string key, string role, ParseResult flags)
    {
        var template = new JsonObject();
        LimitFlags.SetNoneOfUser(template);
        _flags.ApplyTo(template, flags, isTemplate: true);
        return new JsonObject { ["kind"] = "user_scope", ["key"] = key, ["role"] = role, ["template"] = template };
    }
}
