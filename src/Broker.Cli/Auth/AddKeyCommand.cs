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

    private readonly Option<bool> _operator = new("--operator") { Description = "Add a key that signs accounts for the operator" };
    private readonly Option<string?> _role = new("--role") { Description = "Name of the role that the key gives to its users, with the flags below", HelpName = "name" };
    private readonly NewKeyFlags _new = new();

    public Command Build()
    {
        Command command = new Command("key", "Adds a signing key to an account or to the operator.").With(_new.Account, _operator, _role);
        _new.Rights.AddTo(command);
        _new.AddTo(command);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Add);
    }

    private int Add(AuthRun run, ParseResult flags)
    {
        bool isOperator = flags.GetValue(_operator);
        string? role = flags.GetValue(_role) is { } named ? Names.Check(named, "--role") : null;
        if (isOperator && (flags.GetValue(_new.Account) ?? role) is not null)
        {
            throw new UsageException("--operator cannot be combined with --account or --role");
        }

        if (role is null)
        {
            _new.Rights.Refuse(flags, "needs --role");
        }

        Token owner = isOperator ? run.Store.Operator : run.Account(flags.GetValue(_new.Account));
        NkeyPair keys = _new.Seed.Read(flags, isOperator ? NkeyKind.Operator : NkeyKind.Account);
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

        _new.Print(
            shell, flags, $"added signing key {keys.PublicKey}{(role is null ? "" : $" with the role {role}")} to {owner.Kind} {owner.Name}",
            ("key", keys.PublicKey), ("role", role), (owner.Kind, owner.Subject));
        return ExitCode.Success;
    }

    private JsonObject Scope(string key, string role, ParseResult flags)
    {
        var template = new JsonObject();
        _new.Rights.ApplyToNew(template, flags, isTemplate: true);
        return new JsonObject { ["kind"] = "user_scope", ["key"] = key, ["role"] = role, ["template"] = template };
    }
}
