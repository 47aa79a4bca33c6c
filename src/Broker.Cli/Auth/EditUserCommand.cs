using System.CommandLine;
using System.Text.Json.Nodes;
using Broker.Cli.Shell;
using Broker.Cli.Streams;
using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary><c>broker auth edit user</c>.</summary>
internal sealed class EditUserCommand(ShellStreams shell)
{
    private const string Examples = """
        Examples:
          broker auth edit user pump --account PLANT --expires 90d
          broker auth edit user pump --account PLANT --allow-pub 'plant.>,alarms.>' --out pump.creds
              Replaces the list. An empty text removes it.
        """;

    private readonly Argument<string> _name = new("name") { Description = "Name or public key of the user" };
    private readonly Option<string?> _account = AuthCommand.Account();
    private readonly Option<string?> _key = UserOutput.Key();
    private readonly UserFlags _flags = new();
    private readonly Option<string[]> _tags = TagFlag.Create();
    private readonly ExpiryFlag _expiry = new();
    private readonly UserOutput _output = new();

    public Command Build()
    {
        Command command = new Command("user", "Changes a user and writes its credentials file again. Flags that are not given leave their claims as they are.").With(_name, _account, _key);
        _expiry.AddTo(command);
        _flags.AddTo(command);
        command.With(_tags);
        _output.AddTo(command);
        return AuthCommand.Complete(command, shell, Examples, changes: true, Edit);
    }

    private int Edit(AuthRun run, ParseResult flags)
    {
        Token user = run.User(flags.GetRequiredValue(_name), flags.GetValue(_account));
        Token account = run.Account(user.Account);
        // The usual key signs a user whose signing key is gone.
        string? key = flags.GetValue(_key)
            ?? (account.Subject != user.Issuer && account.SigningKeys().Any(k => k.Key == user.Issuer) ? user.Issuer : null);
        (NkeyPair signer, JsonObject? scope) = run.UserSigner(account, key);
        JsonObject claims = user.CopyClaims();
        JsonObject nats = Token.Inner(claims, "nats");
        if (scope is not null)
        {
            if (_flags.FirstGiven(flags) is { } flag)
            {
                throw new UsageException($"{flag} cannot be combined with the role {Token.TextOf(scope, "role")}: the role says what its users may do");
            }

            Clear(nats);
        }
        else if (!nats.ContainsKey("subs"))
        {
            // The user had a role before. A missing limit would be 0.
            LimitFlags.SetNoneOfUser(nats);
        }

        _flags.ApplyTo(nats, flags, isTemplate: false);
        TagFlag.Apply(nats, flags, _tags);
        _expiry.ApplyTo(claims, flags);
        NkeyPair? keys = run.Store.FindKey(user.Subject);
        string file = _output.FileOf(flags, user.Name, user.Subject, isWithSeed: keys is not null);
        Token changed = run.SignUser(claims, account, signer);
        UserOutput.Write(file, changed, keys);
        Done.Print(shell, isJson: false, $"changed user {changed.Name}; its {(keys is null ? "JWT" : "credentials file")} is {file}");
        return ExitCode.Success;
    }

    // The token of a user with a role must have no rights of its own.
    private static void Clear(JsonObject nats)
    {
        string[] kept = ["type", "version", "tags", "issuer_account"];
        foreach (string claim in nats.Select(static p => p.Key).Except(kept, StringComparer.Ordinal).ToArray())
        {
            nats.Remove(claim);
        }
    }
}
